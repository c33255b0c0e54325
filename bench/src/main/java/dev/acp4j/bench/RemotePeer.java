package dev.acp4j.bench;

import java.io.IOException;
import java.util.List;

/** The process of a remote agent. */
final class RemotePeer implements AutoCloseable {
    private final Child child;
    private final int port;

    RemotePeer(Subject subject, List<String> arguments, int seconds) throws IOException {
        child = new Child(subject.with(arguments), seconds);
        port = Integer.parseInt(said("port"));
    }

    int port() {
        return port;
    }

    /** Returns what is in use after a collection of garbage, in KiB. */
    double heapKibibytes() throws IOException {
        child.write(new byte[] {'\n'});
        return Long.parseLong(said("heap")) / 1024.0;
    }

    double residentKibibytes() throws IOException {
        return ProcessFigures.residentKibibytes(child.pid());
    }

    int threads() throws IOException {
        return ProcessFigures.threads(child.pid());
    }

    private String said(String what) throws IOException {
        child.next();
        String line = child.text();
        if (!line.startsWith(what + " ")) {
            throw new IOException("the server said '" + line + "' in the place of '" + what + " …'");
        }
        return line.substring(what.length() + 1).strip();
    }

    @Override
    public void close() {
        child.close();
    }
}
