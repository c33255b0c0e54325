package dev.acp4j.soak;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import dev.acp4j.process.Launch;
import dev.acp4j.process.ProcessFailedException;
import dev.acp4j.rpc.RpcException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/** Agents behind a wrapper script, started and ended in every way: afterwards there is nothing more than before. */
final class StartAndKill implements Trial {
    private static final int AT_A_TIME = 4;
    private static final int JVM_EVERY = 25;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private enum Way {
        POLITE,
        CLOSE_MID_TURN,
        KILL_WRAPPER,
        KILL_AGENT,
        IGNORES_ALL,
        INTERRUPTED_START
    }

    private static final List<Way> WAYS = List.of(Way.values());

    @Override
    public void run(Run run) throws Exception {
        String mark = "kill-" + ProcessHandle.current().pid() + "-" + run.seed;
        for (Way way : WAYS) {
            cycle(run, mark, way, new Random(0));
        }
        Leftovers leftovers = new Leftovers(mark);
        AtomicInteger next = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < AT_A_TIME; i++) {
            Random random = run.random(i);
            threads.add(Thread.ofVirtual().start(() -> {
                while (next.getAndIncrement() < run.cycles && run.faults().isEmpty()) {
                    cycle(run, mark, WAYS.get(random.nextInt(WAYS.size())), random);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        leftovers.expectNone(run);
    }

    private static void cycle(Run run, String mark, Way way, Random random) {
        long start = System.nanoTime();
        run.count("cycles");
        run.count("cycles, " + way);
        try {
            if (way == Way.INTERRUPTED_START) {
                interruptedStart(run, mark, random);
            } else {
                wholeLife(run, launch(run, mark, way, random), way);
            }
        } catch (InterruptedException | RpcException | IllegalStateException e) {
            run.fault(way + ": " + e);
        }
        if (System.nanoTime() - start > PATIENCE.toNanos()) {
            run.fault(way + " took " + (System.nanoTime() - start) / 1_000_000 + " ms");
        }
    }

    private static Launch launch(Run run, String mark, Way way, Random random) {
        boolean needsPids = way == Way.KILL_AGENT || way == Way.KILL_WRAPPER;
        if (!needsPids && way != Way.IGNORES_ALL && random.nextInt(JVM_EVERY) == 0) {
            run.count("cycles with an agent in a JVM");
            return SoakProgram.agent(mark);
        }
        return SoakProgram.shellAgent(mark, way != Way.IGNORES_ALL, random.nextBoolean());
    }

    private static Client.Builder client(Run run) {
        return Client.builder("soak", "1").protocol(run.version);
    }

    private static void wholeLife(Run run, Launch launch, Way way) throws InterruptedException {
        try (ConnectedAgent agent = client(run).connect(launch)) {
            Session session = agent.newSession(Path.of("/soak"));
            session.prompt("u1").result();
            if (way == Way.POLITE) {
                return;
            }
            Turn turn = session.prompt("h hang");
            if (way == Way.KILL_AGENT || way == Way.KILL_WRAPPER) {
                String[] pids = session.id().value().split(" ", 2);
                kill(Long.parseLong(pids[way == Way.KILL_WRAPPER ? 0 : 1]));
                expectReport(run, turn);
            }
        }
    }

    private static void kill(long pid) {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }

    private static void expectReport(Run run, Turn turn) throws InterruptedException {
        try {
            run.fault("the agent was killed, and the turn ended with " + turn.result());
        } catch (ProcessFailedException e) {
            if (e.report().exit() == null) {
                run.fault("a report without the exit: " + e.getMessage());
            }
        }
    }

    private static void interruptedStart(Run run, String mark, Random random) throws InterruptedException {
        Launch launch = SoakProgram.shellAgent(mark, random.nextBoolean(), random.nextBoolean());
        Thread starter = Thread.ofVirtual().start(() -> {
            try (ConnectedAgent agent = client(run).connect(launch)) {
                run.count(agent.isOpen() ? "interrupted after the start" : "interrupted and closed");
            } catch (InterruptedException e) {
                run.count("interrupted while starting");
            }
        });
        Run.lag(random.nextInt(20));
        starter.interrupt();
        starter.join();
    }
}
