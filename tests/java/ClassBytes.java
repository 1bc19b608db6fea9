/* SPDX-License-Identifier: Apache-2.0 */
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes class files that no compiler would, for tests of names: a class whose static initializer
 * calls its first static method, that the second, and so on; the last one calls a given method,
 * static and without arguments, of another class. Any name that the JVM takes will do. (The JVM
 * specification, chapter 4; format 49, which needs no stack maps.)
 */
class ClassBytes {
    private static final int SUPER = 0x20;
    private static final int PUBLIC_STATIC = 0x9;
    private static final int INVOKESTATIC = 184;
    private static final int RETURN = 177;

    private final ByteArrayOutputStream pool = new ByteArrayOutputStream();
    private final DataOutputStream constants = new DataOutputStream(pool);
    private final Map<String, Integer> known = new HashMap<>();
    private int count = 1;

    private interface Writer {
        void write() throws IOException;
    }

    private int constant(String key, Writer writer) throws IOException {
        Integer at = known.get(key);
        if (at == null) {
            writer.write();
            at = count++;
            known.put(key, at);
        }
        return at;
    }

    private int utf8(String text) throws IOException {
        return constant("u" + text, () -> {
            constants.writeByte(1);
            constants.writeUTF(text);
        });
    }

    private int pair(int tag, int first, int second) throws IOException {
        return constant(tag + " " + first + " " + second, () -> {
            constants.writeByte(tag);
            constants.writeShort(first);
            constants.writeShort(second);
        });
    }

    private int classOf(String name) throws IOException {
        int text = utf8(name);
        return constant("c" + name, () -> {
            constants.writeByte(7);
            constants.writeShort(text);
        });
    }

    private int method(String owner, String name) throws IOException {
        return pair(10, classOf(owner), pair(12, utf8(name), utf8("()V")));
    }

    /** A static method that calls another one and returns; line -1: without a line table. */
    private void caller(DataOutputStream out, String name, int callee, int line)
            throws IOException {
        out.writeShort(PUBLIC_STATIC);
        out.writeShort(utf8(name));
        out.writeShort(utf8("()V"));
        out.writeShort(1);
        out.writeShort(utf8("Code"));
        out.writeInt(12 + 4 + (line >= 0 ? 12 : 0));
        out.writeShort(0); // stack
        out.writeShort(0); // locals
        out.writeInt(4);
        out.writeByte(INVOKESTATIC);
        out.writeShort(callee);
        out.writeByte(RETURN);
        out.writeShort(0); // exceptions
        out.writeShort(line >= 0 ? 1 : 0);
        if (line >= 0) {
            out.writeShort(utf8("LineNumberTable"));
            out.writeInt(6);
            out.writeShort(1);
            out.writeShort(0);
            out.writeShort(line);
        }
    }

    /**
     * @param name as in class files: a/b/C
     * @param source its source file, or null
     * @param line the first method's line if there is a source file; the next one's is one more
     * @param owner class of the method that is called last, as in class files
     */
    static byte[] chain(String name, String source, int line, String owner, String last,
            String... methods) throws IOException {
        ClassBytes c = new ClassBytes();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream body = new DataOutputStream(bytes);
        body.writeShort(SUPER);
        body.writeShort(c.classOf(name));
        body.writeShort(c.classOf("java/lang/Object"));
        body.writeShort(0); // interfaces
        body.writeShort(0); // fields
        body.writeShort(methods.length + 1);
        c.caller(body, "<clinit>", c.method(name, methods[0]), -1);
        for (int i = 0; i < methods.length; i++) {
            int callee = i + 1 < methods.length ? c.method(name, methods[i + 1])
                : c.method(owner, last);
            c.caller(body, methods[i], callee, source == null ? -1 : line + i);
        }
        body.writeShort(source == null ? 0 : 1);
        if (source != null) {
            body.writeShort(c.utf8("SourceFile"));
            body.writeInt(2);
            body.writeShort(c.utf8(source));
        }
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(whole);
        out.writeInt(0xcafebabe);
        out.writeInt(50);
        out.writeShort(c.count);
        c.pool.writeTo(out);
        bytes.writeTo(out);
        return whole.toByteArray();
    }

    /** Defines one class, and forgets it. */
    static class Loader extends ClassLoader {
        Loader() {
            super(ClassBytes.class.getClassLoader());
        }

        /** Defines it and runs its initializer, and with it all of its methods. */
        Class<?> run(byte[] bytes) throws ClassNotFoundException {
            Class<?> defined = defineClass(null, bytes, 0, bytes.length);
            return Class.forName(defined.getName(), true, this);
        }
    }
}
