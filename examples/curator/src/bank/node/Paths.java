/* SPDX-License-Identifier: Apache-2.0 */
package bank.node;

import java.nio.charset.StandardCharsets;

/** Where the cluster keeps what; all data is text. */
public final class Paths {
    /** A batch's transfers, a line each, under its number. */
    public static final String PLAN = "/plan";
    /** A batch's fee, under its number. */
    public static final String TARIFF = "/tariff";
    /** Batches that have been handed out. */
    public static final String DISPATCHED = "/dispatched";
    /** Batches that are done; the data names the node that led. */
    public static final String BATCHES = "/batches";
    /** Balances, under the account's number. */
    public static final String ACCOUNTS = "/accounts";
    /** What was booked, by the account that it left, in order. */
    public static final String ENTRIES = "/entries";
    /** Transfers to book, by node. */
    public static final String INBOX = "/inbox";
    /** Who is there. */
    public static final String MEMBERS = "/members";
    /** The session in which a node works. */
    public static final String SESSIONS = "/sessions";
    public static final String LOCKS = "/locks";
    public static final String LEADER = "/leader";
    public static final String AUDIT = "/audit";
    public static final String AUDIT_LOCKS = "/audit-locks";
    /** Transfers that the auditors have seen. */
    public static final String AUDITED = "/audited";

    private Paths() {
    }

    public static String of(String parent, Object child) {
        return parent + "/" + child;
    }

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
