package dev.acp4j.cli.doctor;

import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A client or an agent at one end of a chain that is examined. It writes JSON by hand, so that each byte that arrives
 * at the other end can be compared, and two messages go out right behind each other.
 *
 * <p>The lock is held while writing, so that messages stay whole.
 */
class PlayedEnd implements AutoCloseable {
    static final String ECHO = "_acp_doctor/echo";
    static final String FAIL = "_acp_doctor/fail";
    static final String HOLD = "_acp_doctor/hold";
    static final String UNKNOWN = "_acp_doctor/unknown";

    /** The answer to {@link #FAIL}. */
    static final String ERROR = "{\"code\":-31000,\"message\":\"a test\",\"data\":{\"x\":1.50,\"y\":null},\"own\":[ ]}";

    private final Transport transport;
    private final BlockingQueue<Message> heard = new LinkedBlockingQueue<>();
    private final Map<String, BlockingQueue<Message>> asked = new ConcurrentHashMap<>();
    private final AtomicLong ids = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable Thread reader;

    PlayedEnd(Transport transport) {
        this.transport = transport;
    }

    /** Begins to read. */
    final void start(String name) {
        reader = Thread.ofPlatform().daemon().name("acp-doctor-" + name).start(this::read);
    }

    private void read() {
        try {
            for (Message message; (message = transport.reader().read()) != null; ) {
                BlockingQueue<Message> waiting =
                        message.kind().isResponse() ? asked.remove(String.valueOf(message.id())) : null;
                if (waiting != null) {
                    waiting.add(message);
                } else if (message.kind() != Message.Kind.REQUEST || !answers(message)) {
                    heard.add(message);
                }
            }
        } catch (IOException e) {
            // The chain has ended: what was to come is missed by those who wait for it.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            // As a program ends with its input.
            transport.close();
        }
    }

    /** Answers a request, on the thread that reads. Returns false to leave it to those who wait for it. */
    boolean answers(Message request) throws IOException {
        switch (request.method()) {
            case FAIL -> fail(request, ERROR);
            case UNKNOWN -> fail(request, "{\"code\":-32601,\"message\":\"not found\"}");
            case HOLD -> {
                return false;
            }
            default -> answer(request, request.params() == null ? "{}" : String.valueOf(request.params()));
        }
        return true;
    }

    /** A request that was sent. */
    record Asked(String id, BlockingQueue<Message> answer) {
        /** Waits for its answer; null when none comes in time. */
        @Nullable
        Message await(Duration most) throws InterruptedException {
            return answer.poll(most.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    /** Sends a request. */
    Asked begin(String method, String params) throws IOException {
        String id = Long.toString(ids.incrementAndGet());
        Asked question = new Asked(id, new LinkedBlockingQueue<>());
        asked.put(id, question.answer);
        send("\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params);
        return question;
    }

    /** Sends a request and waits for the answer; null when none comes in time. */
    @Nullable
    Message ask(String method, String params, Duration most) throws IOException, InterruptedException {
        return begin(method, params).await(most);
    }

    void tell(String method, String params) throws IOException {
        send("\"method\":\"" + method + "\",\"params\":" + params);
    }

    void answer(Message request, String result) throws IOException {
        send("\"id\":" + request.id() + ",\"result\":" + result);
    }

    void fail(Message request, String error) throws IOException {
        send("\"id\":" + request.id() + ",\"error\":" + error);
    }

    private void send(String members) throws IOException {
        Message message = Message.parse("{\"jsonrpc\":\"2.0\"," + members + "}");
        lock.lock();
        try {
            transport.writer().write(message);
            transport.writer().flush();
        } catch (IOException e) {
            throw transport.explain(e);
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a message, and drops what comes before it; null when it does not come in time. */
    @Nullable
    Message await(Predicate<Message> wanted, Duration most) throws InterruptedException {
        long deadline = System.nanoTime() + most.toNanos();
        Message message;
        do {
            message = heard.poll(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } while (message != null && !wanted.test(message));
        return message;
    }

    /** Waits for a message of a method. */
    @Nullable
    Message await(String method, Duration most) throws InterruptedException {
        return await(message -> message.method().equals(method), most);
    }

    /** Forgets what has come so far. */
    void forget() {
        heard.clear();
    }

    @Override
    public void close() {
        transport.close();
        Thread running = reader;
        if (running != null) {
            running.interrupt();
        }
    }
}
