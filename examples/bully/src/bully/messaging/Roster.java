/* SPDX-License-Identifier: Apache-2.0 */
package bully.messaging;

import bully.algorithm.Member;
import common.Journal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;

/** Who is registered, when each was last heard of, and the delivery to each. */
final class Roster {
    private static final class Entry {
        final Member member;
        final Delivery delivery;
        long heard = System.nanoTime();

        Entry(Member member, Delivery delivery) {
            this.member = member;
            this.delivery = delivery;
        }
    }

    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final Journal journal;

    Roster(Journal journal) {
        this.journal = journal;
    }

    /** Registers a client, or registers it anew: messages for its earlier life are dropped. */
    synchronized void add(Member member, Mailbox mailbox) {
        Entry old = entries.remove(member.name());
        if (old != null) {
            old.delivery.stop();
        }
        Delivery delivery = new Delivery(member, mailbox, this, journal);
        entries.put(member.name(), new Entry(member, delivery));
        delivery.start();
        journal.event("registered", member.toString());
        notifyAll();
    }

    synchronized void remove(String name) {
        if (drop(name)) {
            journal.event("left", name);
        }
    }

    /** A client that was given up: it did not leave, it could not be reached or was not heard of. */
    synchronized void lose(String name, String why) {
        if (drop(name)) {
            journal.event("lost", name + ": " + why);
            journal.append("lost", name);
        }
    }

    private boolean drop(String name) {
        Entry entry = entries.remove(name);
        if (entry == null) {
            return false;
        }
        entry.delivery.stop();
        notifyAll();
        return true;
    }

    /** Notes a sign of life; false if the client is not registered. */
    synchronized boolean heard(String name) {
        Entry entry = entries.get(name);
        if (entry == null) {
            return false;
        }
        entry.heard = System.nanoTime();
        return true;
    }

    /** The delivery to a client, or null. */
    synchronized Delivery delivery(String name) {
        Entry entry = entries.get(name);
        return entry == null ? null : entry.delivery;
    }

    synchronized ArrayList<Member> members() {
        ArrayList<Member> members = new ArrayList<>();
        for (Entry entry : entries.values()) {
            members.add(entry.member);
        }
        return members;
    }

    /** Names of the clients not heard of for so long. */
    synchronized ArrayList<String> silentFor(long nanos) {
        ArrayList<String> names = new ArrayList<>();
        long now = System.nanoTime();
        for (Map.Entry<String, Entry> entry : entries.entrySet()) {
            if (now - entry.getValue().heard > nanos) {
                names.add(entry.getKey());
            }
        }
        return names;
    }

    synchronized void awaitSize(int least, int most, long millis) throws InterruptedException {
        long end = System.nanoTime() + millis * 1_000_000;
        while (entries.size() < least || entries.size() > most) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return;
            }
            wait(left);
        }
    }
}
