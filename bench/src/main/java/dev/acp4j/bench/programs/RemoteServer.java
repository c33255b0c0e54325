package dev.acp4j.bench.programs;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.http.Authenticator;
import dev.acp4j.http.Http;
import dev.acp4j.http.HttpServer;
import dev.acp4j.http.RunningServer;
import dev.acp4j.http.ServerLimits;
import dev.acp4j.http.Tls;
import dev.acp4j.rpc.Limits;
import java.io.File;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An agent that is served over HTTP by acp4j. It does what the prompt says; {@link FloorRemoteServer} has the list.
 * System properties say what differs from a usual server: {@code durable}, {@code retained} in messages of a stream,
 * {@code queued} in bytes of a client.
 */
final class RemoteServer {
    private static final int MANY = 100_000;

    private static final Saying SAYING = new Saying();

    private RemoteServer() {}

    /**
     * Serves until the end of standard input.
     *
     * @param args the file of keys for TLS and its password, or nothing
     */
    public static void main(String[] args) throws Exception {
        // As an agent for many clients does that asks a model elsewhere. Not the default.
        // What waits for a client is bounded twice, in the agent and in its streams.
        ServerLimits usual = ServerLimits.STANDARD;
        Limits ofAgent = Limits.STANDARD;
        Agent agent = Agent.builder("remote", "1")
                .virtualThreads(true)
                .limits(ofAgent.withQueueBytes(ofAgent.laneBytes(), Long.getLong("queued", ofAgent.outboxBytes())))
                .onPrompt(RemoteServer::obey)
                .build();
        ServerLimits limits = usual.withConnections(MANY, MANY)
                .withStreams(MANY, 64)
                .withQueuedBytes(Long.getLong("queued", usual.queuedBytes()))
                .withRetention(
                        usual.retainedBytes(),
                        Integer.getInteger("retained", usual.retainedMessages()),
                        usual.retention(),
                        usual.retainedBytesInAll());
        HttpServer server = Http.on(0)
                .authenticator(Authenticator.none())
                .limits(limits)
                .durable(Boolean.parseBoolean(System.getProperty("durable", "true")));
        if (args.length == 2) {
            KeyStore keys = KeyStore.getInstance(new File(args[0]), args[1].toCharArray());
            server = server.tls(Tls.of(keys, args[1]));
        }
        try (RunningServer running = server.start(agent::connect)) {
            Remote.control(running.uri().getPort(), SAYING::nanos);
        }
    }

    private static void obey(AgentTurn turn) throws InterruptedException {
        Remote.Task task = Remote.Task.of(turn.text());
        long pause = TimeUnit.MILLISECONDS.toNanos(task.millis());
        // The first time is random: not all agents speak at once.
        long next = System.nanoTime() + (long) (Math.random() * pause);
        for (int i = 0; i < task.updates(); i++) {
            if (pause > 0) {
                LockSupport.parkNanos(next - System.nanoTime());
                next += pause;
            }
            long begun = SAYING.begins();
            try {
                turn.message(task.text(i));
            } finally {
                SAYING.ends(begun);
            }
        }
    }

    /** For how long agents have waited to say something, because their client did not read. */
    private static final class Saying {
        /** What takes less is work, and no waiting. */
        private static final long WORK_NANOS = 1_000_000;

        private final ReentrantLock lock = new ReentrantLock();
        private long now;
        private long nanos;

        long begins() {
            long begun = System.nanoTime();
            lock.lock();
            try {
                now++;
                nanos -= begun;
                return begun;
            } finally {
                lock.unlock();
            }
        }

        void ends(long begun) {
            long end = System.nanoTime();
            lock.lock();
            try {
                now--;
                nanos += end - begun < WORK_NANOS ? begun : end;
            } finally {
                lock.unlock();
            }
        }

        long nanos() {
            lock.lock();
            try {
                return nanos + now * System.nanoTime();
            } finally {
                lock.unlock();
            }
        }
    }
}
