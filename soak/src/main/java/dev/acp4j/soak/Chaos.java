package dev.acp4j.soak;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.process.ProcessFailedException;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.RpcException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * What is between the two ends breaks in the middle of the work, or the agent's process is killed or stopped: both ends
 * come to their end in bounded time, everybody who waits is told, and nothing stays.
 */
final class Chaos implements Trial {
    private static final int USERS = 8;
    private static final int PROCESS_EVERY = 4;
    private static final int MOST_BYTES = 300_000;
    private static final List<FaultyStream.Way> WAYS = List.of(FaultyStream.Way.values());
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Limits LIMITS =
            Limits.STANDARD.withRequestTimeout(Duration.ofSeconds(30)).withDrainTime(Duration.ofMillis(300));

    @Override
    public void run(Run run) throws Exception {
        String mark = "chaos-" + ProcessHandle.current().pid() + "-" + run.seed;
        Random random = run.random(-1);
        brokenPipe(run, random);
        stopped(run, mark, random, true);
        Leftovers leftovers = new Leftovers(mark);
        for (int cycle = 1; run.goesOn(); cycle++) {
            if (cycle % PROCESS_EVERY != 0) {
                brokenPipe(run, random);
            } else if (random.nextBoolean()) {
                killed(run, mark, random);
            } else {
                stopped(run, mark, random, random.nextBoolean());
            }
        }
        leftovers.expectNone(run);
    }

    // ---- what is between them

    private static void brokenPipe(Run run, Random random) throws IOException, InterruptedException {
        FaultyStream.Way way = WAYS.get(random.nextInt(WAYS.size()));
        boolean towardsClient = random.nextBoolean();
        long bytes = 2000L + random.nextInt(MOST_BYTES);
        run.count("lines broken, " + way);
        Ledger ledger = new Ledger(run, false);
        CountDownLatch broken = new CountDownLatch(1);
        Ends ends = Ends.join(
                in -> towardsClient ? new FaultyStream(in, way, bytes, broken) : in,
                in -> towardsClient ? in : new FaultyStream(in, way, bytes, broken));
        ConnectedClient agentEnd = new SoakAgent(run, ledger, false)
                .agent(LIMITS)
                .onProblem(problem -> {})
                .build()
                .connect(ends.agent());
        SoakClient client = new SoakClient(run, ledger, false);
        try (ConnectedAgent connection =
                client.client(LIMITS).onProblem(problem -> {}).connect(ends.client())) {
            Crowd crowd = new Crowd(run, ledger, connection, random.nextInt());
            boolean isBroken = broken.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            if (!isBroken || way == FaultyStream.Way.STALLS) {
                // Nobody can tell a stall from a slow peer: it ends when somebody closes.
                run.count("connections closed here");
                end(connection);
            }
            expectClosed(run, "the client, " + way, connection);
            crowd.expectReleased();
        } catch (RpcException e) {
            run.count("broken while connecting");
        }
        if (way == FaultyStream.Way.STALLS && !towardsClient) {
            agentEnd.close();
        }
        if (!agentEnd.rpc().awaitClosed(PATIENCE)) {
            run.fault("the agent's end did not end: " + way + (towardsClient ? " to the client" : " to the agent"));
        }
        client.terminals.expectNone();
    }

    private static void end(ConnectedAgent connection) {
        connection.close();
    }

    private static void expectClosed(Run run, String who, ConnectedAgent connection) throws InterruptedException {
        long start = System.nanoTime();
        if (!connection.rpc().awaitClosed(PATIENCE)) {
            run.fault(who + ": did not end within " + (System.nanoTime() - start) / 1_000_000 + " ms");
        }
    }

    // ---- what happens to the process

    private static void killed(Run run, String mark, Random random) throws InterruptedException {
        run.count("processes killed");
        Ledger ledger = new Ledger(run, false);
        try (ConnectedAgent connection = connect(run, mark, ledger)) {
            Crowd crowd = new Crowd(run, ledger, connection, random.nextInt());
            Run.lag(random.nextInt(700));
            List<Long> pids = List.copyOf(Leftovers.processes(mark));
            signal("KILL", pids.get(random.nextInt(pids.size())));
            expectClosed(run, "the client, after the kill", connection);
            crowd.expectReleased();
            crowd.expectReports();
        }
    }

    /** A stopped process looks like a slow one. If it goes on, so does everything; if not, closing ends it. */
    private static void stopped(Run run, String mark, Random random, boolean goesOn) throws InterruptedException {
        run.count(goesOn ? "processes stopped for a while" : "processes stopped for ever");
        Ledger ledger = new Ledger(run, false);
        try (ConnectedAgent connection = connect(run, mark, ledger)) {
            Crowd crowd = new Crowd(run, ledger, connection, random.nextInt());
            Run.lag(random.nextInt(700));
            Set<Long> pids = Leftovers.processes(mark);
            pids.forEach(pid -> signal("STOP", pid));
            Run.lag(random.nextInt(700));
            if (goesOn) {
                pids.forEach(pid -> signal("CONT", pid));
                Run.lag(random.nextInt(700));
                crowd.expectAtWork();
            }
            end(connection);
            expectClosed(run, "the client, after closing", connection);
            crowd.expectReleased();
        }
    }

    private static ConnectedAgent connect(Run run, String mark, Ledger ledger) throws InterruptedException {
        return new SoakClient(run, ledger, false)
                .client(LIMITS)
                .onProblem(problem -> {})
                .connect(SoakProgram.agent(mark).onStderr(line -> {
                    if (line.startsWith(SoakAgent.FAULT)) {
                        run.fault(line);
                    }
                }));
    }

    static void signal(String name, long pid) {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Some users at work, until the connection ends. */
    private static final class Crowd {
        private final Run run;
        private final List<Thread> users = new ArrayList<>();
        private final Set<Throwable> ends = ConcurrentHashMap.newKeySet();

        Crowd(Run run, Ledger ledger, ConnectedAgent connection, int seed) {
            this.run = run;
            for (int i = 0; i < USERS; i++) {
                int number = seed + i;
                users.add(Thread.ofVirtual().name("user-" + i).start(() -> work(ledger, connection, number)));
            }
        }

        private void work(Ledger ledger, ConnectedAgent connection, int number) {
            try {
                SoakUser user = new SoakUser(run, ledger, connection, number, 0, false);
                while (true) {
                    user.step();
                }
            } catch (RpcException e) {
                ends.add(e);
            } catch (IllegalStateException | InterruptedException e) {
                if (connection.isOpen()) {
                    run.fault("a user ended with " + e);
                }
            }
        }

        void expectAtWork() {
            if (!ends.isEmpty()) {
                run.fault("users ended before the connection: " + ends);
            }
        }

        void expectReleased() throws InterruptedException {
            for (Thread user : users) {
                if (!user.join(PATIENCE)) {
                    run.fault(user.getName() + " still waits:\n  "
                            + String.join(
                                    "\n  ",
                                    List.of(user.getStackTrace()).stream()
                                            .map(StackTraceElement::toString)
                                            .toList()));
                }
            }
            run.count("callers released", ends.size());
        }

        /** Whoever waited for an agent that was killed reads how it ended. */
        void expectReports() {
            for (Throwable end : ends) {
                if (end instanceof ProcessFailedException failed
                        && failed.report().exit() == null) {
                    run.fault("a report without the exit: " + failed.getMessage());
                } else if (!(end instanceof ProcessFailedException)) {
                    run.count(
                            "callers who were told otherwise: " + end.getClass().getSimpleName());
                }
            }
        }
    }
}
