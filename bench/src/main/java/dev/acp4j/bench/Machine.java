package dev.acp4j.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the measurements ran on. */
final class Machine {
    private Machine() {}

    /** Returns processor, kernel and virtual machine, in a line. */
    static String describe() {
        return Runtime.getRuntime().availableProcessors() + " × " + processor() + ", " + System.getProperty("os.name")
                + " " + System.getProperty("os.version") + ", Java " + System.getProperty("java.runtime.version");
    }

    private static String processor() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/cpuinfo"))) {
                if (line.startsWith("model name")) {
                    return line.substring(line.indexOf(':') + 2);
                }
            }
        } catch (IOException e) {
            // Said below.
        }
        return System.getProperty("os.arch");
    }
}
