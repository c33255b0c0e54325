package dev.acp4j.workspace;

import java.io.File;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** Things in a folder that are no files, and what work on them leaves open. */
final class OddFiles {
    private OddFiles() {}

    static Path pipe(Path path) throws IOException, InterruptedException {
        if (new ProcessBuilder("mkfifo", path.toString()).start().waitFor() != 0) {
            throw new IOException("cannot make the pipe " + path);
        }
        return path;
    }

    /** Makes a socket, which stays when nobody listens on it any more. */
    static Path socket(Path path) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(path));
        }
        return path;
    }

    /** Returns how many descriptors this process has open. */
    static int descriptors() {
        return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
    }

    static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("acp4j-files"))
                .toList();
    }

    /** Waits for all work on files to end. */
    static void awaitThreads() throws InterruptedException {
        for (Thread thread : threads()) {
            thread.join();
        }
    }
}
