/* SPDX-License-Identifier: Apache-2.0 */
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes COUNT source files into DIR, the same on every machine, for a compiler to chew on:
 * generics, streams, lambdas, records, switches, inner classes, exceptions; each uses some of those
 * before it.
 */
public class Sources {
    private static final String TEMPLATE = """
            package made.p%4$d;

            import java.util.*;
            import java.util.function.*;
            import java.util.stream.*;

            public class C%1$d<T extends Comparable<? super T>> implements Comparable<C%1$d<T>> {
                public enum Kind { NONE, SMALL, LARGE, ODD }
                public record Item<V>(String name, V value, Kind kind) {
                    public <R> Item<R> map(Function<? super V, ? extends R> f) {
                        return new Item<>(name, f.apply(value), kind);
                    }
                }
                private final Map<String, List<Item<T>>> items = new TreeMap<>();
                private int count = %1$d;

                public Kind kind(int n) {
                    return switch (n %% 7) {
                        case 0 -> Kind.NONE;
                        case 1, 2, 3 -> n > 100 ? Kind.LARGE : Kind.SMALL;
                        default -> (n & 1) == 0 ? Kind.SMALL : Kind.ODD;
                    };
                }
                public C%1$d<T> add(String name, T value) {
                    items.computeIfAbsent(name, k -> new ArrayList<>())
                            .add(new Item<>(name, value, kind(count++)));
                    return this;
                }
                public Optional<T> largest(Predicate<? super Item<T>> wanted) {
                    return items.values().stream().flatMap(List::stream).filter(wanted)
                            .map(Item::value).max(Comparator.naturalOrder());
                }
                public Map<Kind, Long> histogram() {
                    return items.values().stream().flatMap(Collection::stream)
                            .collect(Collectors.groupingBy(Item::kind, TreeMap::new,
                                    Collectors.counting()));
                }
                public static String text(int depth) {
                    if (depth <= 0) {
                        return "C%1$d";
                    }
                    StringBuilder b = new StringBuilder();
                    for (int i = 0; i < depth; i++) {
                        b.append(i %% 3 == 0 ? made.p%5$d.C%2$d.text(i - 1) : "x").append(i);
                    }
                    try {
                        b.append(Integer.parseInt(b.substring(1, 2)));
                    } catch (NumberFormatException | IndexOutOfBoundsException e) {
                        b.append(made.p%6$d.C%3$d.text(depth - 2));
                    } finally {
                        b.append('.');
                    }
                    return b.toString();
                }
                public Iterator<Item<T>> iterator() {
                    return new Iterator<>() {
                        private final Iterator<List<Item<T>>> lists = items.values().iterator();
                        private Iterator<Item<T>> in = Collections.emptyIterator();
                        @Override public boolean hasNext() {
                            while (!in.hasNext() && lists.hasNext()) {
                                in = lists.next().iterator();
                            }
                            return in.hasNext();
                        }
                        @Override public Item<T> next() {
                            if (!hasNext()) {
                                throw new NoSuchElementException();
                            }
                            return in.next();
                        }
                    };
                }
                @Override public int compareTo(C%1$d<T> o) {
                    return Comparator.<C%1$d<T>>comparingInt(c -> c.count)
                            .thenComparing(c -> c.items.size()).compare(this, o);
                }
            }
            """;

    public static void main(String[] args) throws IOException {
        Path dir = Path.of(args[0]);
        int count = Integer.parseInt(args[1]);
        for (int i = 0; i < count; i++) {
            int one = i / 2;
            int two = i * 2 / 3;
            Path file = dir.resolve("made/p" + i % 50 + "/C" + i + ".java");
            Files.createDirectories(file.getParent());
            Files.writeString(file,
                    TEMPLATE.formatted(i, one, two, i % 50, one % 50, two % 50));
        }
    }
}
