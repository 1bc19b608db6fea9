/* SPDX-License-Identifier: Apache-2.0 */
/**
 * A system class loader (-Djava.system.class.loader=Loader) that says who makes it work: a line
 * "loader THREAD CLASS" for each class that the agent's thread asks for, and for those that the
 * agent looks for on other threads.
 */
public class Loader extends ClassLoader {
    public Loader(ClassLoader parent) {
        super(parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        String thread = Thread.currentThread().getName();
        if (thread.startsWith("Ixor") || name.equals("java.lang.Thread")
                || name.equals("java.lang.Throwable")) {
            System.err.println("loader " + thread + " " + name);
        }
        return super.loadClass(name, resolve);
    }
}
