package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Connector;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A connection over a transport of another kind, such as a program that ssh runs. It cannot go on when it is cut:
 * another line then takes its place.
 *
 * <p>One thread writes and one reads, on threads of the operating system, since both block on pipes. The lock guards
 * what waits to be written; nothing is written, read or called while it is held.
 */
final class TransportLine implements Line {
    private final Connector connector;
    private final String place;
    private final Owner owner;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final ArrayDeque<Message> waiting = new ArrayDeque<>();

    @GuardedBy("lock")
    private long waitingBytes;

    @GuardedBy("lock")
    private boolean isWriting;

    /** The sessions of requests without an answer. */
    @GuardedBy("lock")
    private final Map<RequestId, String> asked = new HashMap<>();

    @GuardedBy("lock")
    private boolean over;

    @GuardedBy("lock")
    private boolean finishing;

    @GuardedBy("lock")
    private @Nullable Transport transport;

    private final CompletableFuture<Message> initialized = new CompletableFuture<>();
    private final CountDownLatch ended = new CountDownLatch(1);

    TransportLine(RemoteAgent.Settings settings, Connector connector, Owner owner) {
        this.connector = connector;
        this.place = settings.endpoint.toString();
        this.owner = owner;
    }

    @Override
    public Message initialize(Message request) throws HttpFailure, InterruptedException {
        Transport opened;
        try {
            opened = connector.open();
        } catch (IOException e) {
            throw new HttpFailure(HttpFailure.Kind.NOT_SENT, String.valueOf(e.getMessage()), e);
        }
        boolean isLate;
        lock.lock();
        try {
            isLate = over;
            transport = opened;
        } finally {
            lock.unlock();
        }
        if (isLate) {
            opened.close();
            throw new HttpFailure(HttpFailure.Kind.FINAL, "the connection was closed", null);
        }
        start("acp4j-line-reader", () -> read(opened, request.id()));
        boolean unused = send(request);
        start("acp4j-line-writer", () -> write(opened));
        try {
            return initialized.get(ANSWER_TIME.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof HttpFailure known
                    ? known
                    : new HttpFailure(HttpFailure.Kind.FINAL, String.valueOf(e.getCause()), e);
        } catch (TimeoutException e) {
            String late = place + " did not answer initialize within " + ANSWER_TIME.toSeconds() + " s";
            throw new HttpFailure(HttpFailure.Kind.UNKNOWN, late, e);
        }
    }

    private void start(String name, Runnable body) {
        Thread unused = Thread.ofPlatform().daemon().name(name).start(() -> {
            try {
                body.run();
            } catch (RuntimeException | Error e) {
                lose(new HttpFailure(HttpFailure.Kind.FINAL, "a fault in this program: " + e, e));
            }
        });
    }

    // ---- reading

    private void read(Transport from, @Nullable RequestId initializeId) {
        HttpFailure why = null;
        try {
            for (Message next = from.reader().read();
                    next != null;
                    next = from.reader().read()) {
                RequestId id = next.id();
                if (next.kind().isResponse() && id != null && id.equals(initializeId) && initialized.complete(next)) {
                    continue;
                }
                // One pipe has one order, so an answer is behind all that belongs to its session.
                owner.arrived(next, sessionOf(next));
                owner.landed(next.session());
            }
        } catch (IOException e) {
            why = new HttpFailure(HttpFailure.Kind.UNKNOWN, String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ended.countDown();
        boolean isFinished;
        lock.lock();
        try {
            isFinished = finishing;
        } finally {
            lock.unlock();
        }
        if (why == null && initialized.isDone() && !initialized.isCompletedExceptionally()) {
            if (!isOver()) {
                owner.ended();
            }
        } else if (isFinished) {
            owner.ended();
        } else {
            lose(
                    why == null
                            ? new HttpFailure(
                                    HttpFailure.Kind.FINAL, "the agent at " + place + " ended without an answer", null)
                            : why);
        }
    }

    private String sessionOf(Message message) {
        RequestId id = message.id();
        if (!message.kind().isResponse() || id == null) {
            return message.session();
        }
        lock.lock();
        try {
            String session = asked.remove(id);
            return session == null ? "" : session;
        } finally {
            lock.unlock();
        }
    }

    private void lose(HttpFailure why) {
        boolean unused = initialized.completeExceptionally(why);
        if (!isOver()) {
            owner.lost(why);
        }
    }

    // ---- writing

    @Override
    public boolean send(Message message) {
        RequestId id = message.id();
        boolean isRequest = message.kind() == Message.Kind.REQUEST;
        lock.lock();
        try {
            if (over) {
                return true;
            }
            if (isRequest && waitingBytes > 0 && waitingBytes + message.length() > MOST_WAITING_BYTES) {
                return false;
            }
            if (isRequest && id != null) {
                asked.put(id, message.session());
            }
            waiting.add(message);
            waitingBytes += message.length();
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public List<Message> untaken() {
        lock.lock();
        try {
            List<Message> untaken = List.copyOf(waiting);
            waiting.clear();
            return untaken;
        } finally {
            lock.unlock();
        }
    }

    private void write(Transport to) {
        try {
            for (Message next = take(); next != null; next = take()) {
                to.writer().write(next);
                to.writer().flush();
            }
        } catch (IOException e) {
            // The reader says why, and comes after what still arrives.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private @Nullable Message take() throws InterruptedException {
        lock.lock();
        try {
            isWriting = false;
            changed.signalAll();
            while (!over && waiting.isEmpty()) {
                changed.await();
            }
            Message next = over ? null : waiting.poll();
            if (next != null) {
                isWriting = true;
                waitingBytes -= next.length();
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    // ---- the end

    @Override
    public boolean opened(String session) {
        return false;
    }

    @Override
    public void closed(String session) {}

    @Override
    public boolean hasPassed(String stream, String cursor) {
        return true;
    }

    @Override
    public boolean isCut(String stream) {
        return false;
    }

    @Override
    public boolean isOver() {
        lock.lock();
        try {
            return over;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void finish() throws InterruptedException {
        Transport open;
        lock.lock();
        try {
            finishing = true;
            // A line that nobody reads any more is not waited for without end.
            long left = FAREWELL_TIME.toNanos();
            while (!over && (!waiting.isEmpty() || isWriting) && left > 0 && ended.getCount() > 0) {
                left = changed.awaitNanos(left);
            }
            open = transport;
        } finally {
            lock.unlock();
        }
        if (open != null) {
            try {
                open.writer().close();
            } catch (IOException e) {
                owner.problem("the line to " + place + " could not be ended", e);
            }
        }
    }

    @Override
    public void close(boolean farewell) {
        Transport open;
        lock.lock();
        try {
            over = true;
            open = transport;
            transport = null;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        boolean unused = initialized.completeExceptionally(
                new HttpFailure(HttpFailure.Kind.FINAL, "the connection was closed", null));
        if (open != null) {
            open.close();
        }
    }
}
