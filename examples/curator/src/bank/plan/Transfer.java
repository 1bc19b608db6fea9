/* SPDX-License-Identifier: Apache-2.0 */
package bank.plan;

/** Money to move from one account to another, in cents. */
public record Transfer(int id, int batch, int from, int to, long amount) {

    public String text() {
        return id + " " + batch + " " + from + " " + to + " " + amount;
    }

    public static Transfer parse(String text) {
        String[] part = text.split(" ");
        return new Transfer(Integer.parseInt(part[0]), Integer.parseInt(part[1]), Integer.parseInt(part[2]),
                Integer.parseInt(part[3]), Long.parseLong(part[4]));
    }
}
