package dev.acp4j.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** An agent in a process of its own and the client that drives it: the same for all, and with nothing to parse. */
final class DrivenAgent implements AutoCloseable {
    private static final byte[] ID = bytes("\"id\":");
    private static final byte[] ERROR = bytes("\"error\":");
    private static final byte[] IDLE = bytes("\"state\":\"idle\"");
    private static final byte[] PIECE = bytes("_chunk\"");
    private static final byte[] FILE_REQUEST = bytes("\"fs/");
    private static final byte[] SESSION_ID = bytes("\"sessionId\":\"");
    private static final byte[] PROTOCOL_VERSION = bytes("\"protocolVersion\":");
    private static final String CONTENT = "{\"content\":\"The quick brown fox jumps over the lazy dog again.\"}";

    private static final int MOST_REFUSALS = 1000;

    private final Child child;
    final long startNanos;
    private int lastId = Frames.FIRST_ID;

    /** Starts the agent and initializes the connection in version 1. */
    DrivenAgent(List<String> command, int secondsToLive) throws IOException {
        this(command, secondsToLive, 1);
    }

    /** Starts the agent and initializes the connection. */
    DrivenAgent(List<String> command, int secondsToLive, int version) throws IOException {
        byte[] initialize = Frames.initialize(version);
        child = new Child(command, secondsToLive);
        child.write(initialize);
        awaitAnswer(lastId);
        startNanos = System.nanoTime() - child.started;
        if (!child.has(PROTOCOL_VERSION)) {
            throw new IOException("no answer to initialize: " + child.text());
        }
    }

    long pid() {
        return child.pid();
    }

    String newSession() throws IOException {
        child.write(Frames.newSession(++lastId));
        awaitAnswer(lastId);
        return child.valueAt(child.after(SESSION_ID));
    }

    /** Returns a prompt for {@link #turn}; prompts are sent in the order in which they are made. */
    byte[] prompt(String session, String text) {
        return Frames.prompt(++lastId, session, text);
    }

    byte[] largePrompt(String session, int characters) {
        return Frames.largePrompt(++lastId, session, characters);
    }

    /** Sends a prompt and reads up to its answer. Returns the number of updates before it. */
    int turn(byte[] prompt) throws IOException {
        int id = idOf(prompt);
        child.write(prompt);
        return awaitAnswer(id);
    }

    /** Sends a prompt of version 2 and reads up to the end of the turn. Returns the number of pieces in it. */
    int turnOfVersion2(byte[] prompt) throws IOException {
        child.write(prompt);
        int pieces = 0;
        int known = -1;
        while (true) {
            child.next();
            if (child.length() == known) {
                pieces++;
            } else if (child.has(PIECE)) {
                known = child.length();
                pieces++;
            } else if (child.has(IDLE)) {
                return pieces;
            } else if (child.has(ERROR)) {
                throw new IOException("the agent answered: " + child.text());
            }
        }
    }

    /**
     * Sends a prompt, as {@link #turn} does, and sends it again when the agent refuses it: some are not ready for a
     * prompt when they have just answered one. Returns how often it was refused.
     */
    int stubbornTurn(byte[] prompt) throws IOException {
        int refused = 0;
        while (refused < MOST_REFUSALS) {
            try {
                turn(prompt);
                return refused;
            } catch (RefusedException e) {
                refused++;
            }
        }
        throw new IOException("refused " + refused + " times: " + child.text());
    }

    void send(byte[] frame) throws IOException {
        child.write(frame);
    }

    /** Reads up to the answer to a prompt that was sent. Returns the number of updates before it. */
    int awaitEnd(byte[] prompt) throws IOException {
        return awaitAnswer(idOf(prompt));
    }

    private static int idOf(byte[] frame) {
        return Integer.parseInt(new String(frame, 22, 7, StandardCharsets.ISO_8859_1));
    }

    /**
     * Reads up to the answer with this id. Lines as long as the one before are the same kind of update: only the others
     * are searched for the id.
     */
    private int awaitAnswer(int id) throws IOException {
        int updates = 0;
        int known = -1;
        while (true) {
            child.next();
            if (child.length() != known) {
                if (isAnswer(id)) {
                    return updates;
                }
                known = child.length();
            }
            updates++;
        }
    }

    private boolean isAnswer(int id) throws IOException {
        int at = child.after(ID);
        if (at < 0 || !child.valueAt(at).equals(String.valueOf(id))) {
            return false;
        }
        if (child.has(ERROR)) {
            throw new RefusedException("the agent answered: " + child.text());
        }
        return true;
    }

    /** Reads up to the agent's next request about a file. Returns its id, or null when the turn is over. */
    String awaitFileRequest() throws IOException {
        do {
            child.next();
        } while (!child.has(ID));
        boolean asks = child.has(FILE_REQUEST);
        if (!asks && child.has(ERROR)) {
            throw new IOException("the agent answered: " + child.text());
        }
        return asks ? child.valueAt(child.after(ID)) : "";
    }

    void answerFileRequest(String id) throws IOException {
        child.write(Frames.answer(id, CONTENT));
    }

    /** Waits until the agent has nothing to do any more: it waits for the driver, or has ended. */
    void awaitIdle() throws IOException {
        double before = -1;
        double now = ProcessFigures.cpuSeconds(pid());
        while (now > before) {
            before = now;
            long deadline = System.nanoTime() + 300_000_000;
            long left;
            while ((left = deadline - System.nanoTime()) > 0) {
                LockSupport.parkNanos(left);
            }
            now = ProcessFigures.cpuSeconds(pid());
        }
    }

    double cpuSeconds() throws IOException {
        return ProcessFigures.cpuSeconds(pid());
    }

    double peakMebibytes() throws IOException {
        return ProcessFigures.peakMebibytes(pid());
    }

    double residentKibibytes() throws IOException {
        return ProcessFigures.residentKibibytes(pid());
    }

    /** Ends the agent's input and waits for it to end. */
    void finish() throws IOException, InterruptedException {
        child.finish();
    }

    @Override
    public void close() {
        child.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** The agent answered with an error. */
    private static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1;

        RefusedException(String message) {
            super(message);
        }
    }
}
