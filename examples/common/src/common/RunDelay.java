/* SPDX-License-Identifier: Apache-2.0 */
package common;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** How long threads of this machine wanted to run while others had the processors. */
public final class RunDelay {
    private static final long MILLION = 1_000_000;

    private RunDelay() {
    }

    /** Of all threads that live now together, in milliseconds; 0 where the kernel does not tell. */
    public static long millis() {
        long nanos = 0;
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks) {
                nanos += ofThread(task.resolve("schedstat"));
            }
        } catch (IOException e) {
            return 0;
        }
        return nanos / MILLION;
    }

    /** The second of its three numbers; 0 if the thread has just ended. */
    private static long ofThread(Path schedstat) {
        try {
            return Long.parseLong(Files.readString(schedstat).trim().split(" ")[1]);
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }
}
