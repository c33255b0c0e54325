package dev.acp4j.proxy.testkit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One end of a played conversation: collects what comes out of the proxy there. A thread reads; the lock guards what it
 * has read. Nothing is read or written while it is held.
 */
final class PlayedEnd implements AutoCloseable {
    /** The notification that comes out when all before it in its session has. */
    private static final String MARK = "_acp4j/played";

    private static final long MARK_SECONDS = 60;

    private final String name;
    private final Transport transport;
    private final LinkedBlockingQueue<String> marks = new LinkedBlockingQueue<>();
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final List<Message> came = new ArrayList<>();

    /** The method of the recorded request that is on its way here. */
    @GuardedBy("lock")
    private @Nullable String expected;

    @GuardedBy("lock")
    private @Nullable Message arrived;

    PlayedEnd(String name, Transport transport) {
        this.name = name;
        this.transport = transport;
        Thread.ofPlatform().daemon().name("acp4j-played-" + name).start(this::read);
    }

    private void read() {
        try {
            Message message = transport.reader().read();
            while (message != null) {
                if (message.method().equals(MARK)) {
                    marks.add(String.valueOf(message.params()));
                } else if (isOwnRequest(message)) {
                    RawJson id = RawJson.parse(String.valueOf(message.id()));
                    send(answer(id, RpcError.methodNotFound(message.method())));
                }
                message = transport.reader().read();
            }
        } catch (IOException e) {
            // The proxy has ended; whoever waits for a mark finds that out.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String answer(RawJson id, RpcError error) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"error\":{\"code\":" + error.code()
                + ",\"message\":\"the recording has no answer to this\"}}";
    }

    /** Takes a message up. Returns whether it is a request that nobody has recorded. */
    private boolean isOwnRequest(Message message) {
        lock.lock();
        try {
            came.add(message);
            if (message.kind() != Message.Kind.REQUEST) {
                return false;
            }
            if (arrived != null || !message.method().equals(expected)) {
                return true;
            }
            arrived = message;
            return false;
        } finally {
            lock.unlock();
        }
    }

    void send(String line) throws IOException {
        transport.writer().write(Message.parse(line));
        transport.writer().flush();
    }

    /** A recorded request is about to be sent to here. */
    void expect(String method) {
        lock.lock();
        try {
            expected = method;
            arrived = null;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the recorded request as it came out; null if it did not. */
    @Nullable
    Message arrived() {
        lock.lock();
        try {
            expected = null;
            return arrived;
        } finally {
            lock.unlock();
        }
    }

    /** Returns what has come out since the last time. */
    List<Message> take() {
        lock.lock();
        try {
            List<Message> taken = List.copyOf(came);
            came.clear();
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until everything has come out that was sent into the proxy at the other end before, in a session. */
    void awaitAllFrom(PlayedEnd other, String session, int number) throws IOException, InterruptedException {
        String params = "{" + (session.isEmpty() ? "" : "\"sessionId\":" + RawJson.string(session) + ",") + "\"n\":"
                + number + "}";
        other.send("{\"jsonrpc\":\"2.0\",\"method\":\"" + MARK + "\",\"params\":" + params + "}");
        String mark = marks.poll(MARK_SECONDS, TimeUnit.SECONDS);
        if (!params.equals(mark)) {
            throw new AssertionError("expected that the notification " + MARK + " " + params
                    + " of an extension passes to the " + name + ", got "
                    + (mark == null ? "nothing in " + MARK_SECONDS + " s" : mark));
        }
    }

    @Override
    public void close() {
        transport.close();
    }
}
