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

    /** Returns when the process was started, as {@link System#nanoTime} has it. */
    long started() {
        return child.started;
    }

    /**
     * What the process says of itself, after a collection of garbage.
     *
     * @param heapKibibytes the memory in use
     * @param threads how many platform threads there are
     * @param saying for how long agents have waited to say something, in nanoseconds
     */
    record State(double heapKibibytes, int threads, long saying) {}

    State state() throws IOException {
        child.write(new byte[] {'\n'});
        String[] words = said("heap").split(" ", -1);
        return new State(Long.parseLong(words[0]) / 1024.0, Integer.parseInt(words[2]), Long.parseLong(words[4]));
    }

    double heapKibibytes() throws IOException {
        return state().heapKibibytes();
    }

    double residentKibibytes() throws IOException {
        return ProcessFigures.residentKibibytes(child.pid());
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
