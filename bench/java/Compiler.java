/* SPDX-License-Identifier: Apache-2.0 */
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;

/** javac, again and again in one JVM: PAIRS pairs of phases, the files named in LIST, into DIR. */
public class Compiler {
    public static void main(String[] args) throws Exception {
        List<String> words = new ArrayList<>(List.of("-proc:none", "-nowarn", "-d", args[2]));
        words.addAll(Files.readAllLines(Path.of(args[1])));
        String[] all = words.toArray(new String[0]);
        Phases.run(Integer.parseInt(args[0]), () -> {
            long begin = System.nanoTime();
            if (ToolProvider.getSystemJavaCompiler().run(null, null, null, all) != 0) {
                throw new IllegalStateException("does not compile");
            }
            return (System.nanoTime() - begin) * 1e-9;
        });
    }
}
