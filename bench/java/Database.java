/* SPDX-License-Identifier: Apache-2.0 */
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;

/**
 * A bank in HSQLDB's memory: THREADS clients, each with a connection of its own, do TRANSACTIONS
 * transfers between 20,000 accounts together, every tenth with a report. Ends with status 1 if
 * money got lost. With PAIRS as a third argument: so many pairs of phases, each of TRANSACTIONS.
 */
public class Database {
    private static final String URL = "jdbc:hsqldb:mem:bank;hsqldb.tx=mvcc";
    private static final int ACCOUNTS = 20_000;
    private static final int BRANCHES = 50;

    private static void create(Connection c) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute("create table account (id int primary key, branch int, balance bigint, "
                    + "owner varchar(40))");
            s.execute("create table history (id bigint generated always as identity primary key, "
                    + "debit int, credit int, amount bigint)");
            s.execute("create index by_branch on account (branch)");
        }
        try (PreparedStatement p =
                c.prepareStatement("insert into account values (?, ?, 1000, ?)")) {
            for (int i = 0; i < ACCOUNTS; i++) {
                p.setInt(1, i);
                p.setInt(2, i % BRANCHES);
                p.setString(3, "owner of account " + i);
                p.addBatch();
            }
            p.executeBatch();
        }
    }

    private static void change(PreparedStatement p, long amount, int account) throws SQLException {
        p.setLong(1, amount);
        p.setInt(2, account);
        p.executeUpdate();
    }

    private static void transfer(PreparedStatement update, PreparedStatement history, Random random)
            throws SQLException {
        // In ascending order, so that two clients do not wait for each other.
        int first = random.nextInt(ACCOUNTS - 1);
        int second = first + 1 + random.nextInt(ACCOUNTS - first - 1);
        long amount = random.nextInt(200) - 100;
        change(update, -amount, first);
        change(update, amount, second);
        history.setInt(1, first);
        history.setInt(2, second);
        history.setLong(3, amount);
        history.executeUpdate();
    }

    private static void report(PreparedStatement p, int branch) throws SQLException {
        p.setInt(1, branch);
        try (ResultSet r = p.executeQuery()) {
            while (r.next()) {
                if (r.getString(2).isEmpty()) {
                    throw new IllegalStateException("an account without an owner");
                }
            }
        }
    }

    private static void client(int seed, int transactions) {
        try (Connection c = DriverManager.getConnection(URL, "sa", "");
                PreparedStatement update = c.prepareStatement(
                        "update account set balance = balance + ? where id = ?");
                PreparedStatement history = c.prepareStatement(
                        "insert into history (debit, credit, amount) values (?, ?, ?)");
                PreparedStatement report = c.prepareStatement("select balance, owner from account "
                        + "where branch = ? order by balance desc, owner limit 20")) {
            c.setAutoCommit(false);
            Random random = new Random(seed);
            for (int i = 0; i < transactions; ) {
                try {
                    transfer(update, history, random);
                    c.commit();
                } catch (SQLException conflict) {
                    c.rollback();
                    continue;
                }
                if (i++ % 10 == 0) {
                    report(report, random.nextInt(BRANCHES));
                    c.commit();
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long number(Connection c, String query) throws SQLException {
        try (Statement s = c.createStatement(); ResultSet r = s.executeQuery(query)) {
            r.next();
            return r.getLong(1);
        }
    }

    private static int rounds;

    /** All clients at once, each with so many transactions. */
    private static double round(int threads, int each) throws InterruptedException {
        Thread[] clients = new Thread[threads];
        rounds++;
        long begin = System.nanoTime();
        for (int i = 0; i < threads; i++) {
            int seed = rounds * threads + i;
            clients[i] = new Thread(() -> client(seed, each), "client-" + i);
            clients[i].start();
        }
        for (Thread t : clients) {
            t.join();
        }
        return (System.nanoTime() - begin) * 1e-9;
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]);
        int each = Integer.parseInt(args[1]) / threads;
        try (Connection c = DriverManager.getConnection(URL, "sa", "")) {
            create(c);
            if (args.length > 2) {
                Phases.run(Integer.parseInt(args[2]), () -> round(threads, each));
            } else {
                round(threads, each);
            }
            long money = number(c, "select sum(balance) from account");
            long history = number(c, "select count(*) from history");
            System.out.println("accounts hold " + money + ", " + history + " transfers");
            System.exit(money == 1000L * ACCOUNTS && history == (long) each * threads * rounds
                    ? 0 : 1);
        }
    }
}
