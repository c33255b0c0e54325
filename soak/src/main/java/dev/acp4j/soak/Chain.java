package dev.acp4j.soak;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.proxy.Component;
import dev.acp4j.proxy.Component.OnDeath;
import dev.acp4j.proxy.Conductor;
import dev.acp4j.proxy.RunningChain;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.RpcException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A client, a conductor with three components in processes, and an agent. In a calm chain everything arrives once and
 * in order. In a rough one components are killed and stopped: what was inside is lost with them, requests are answered
 * all the same, nothing is doubled or reordered, and what comes afterwards passes.
 */
final class Chain implements Trial {
    private static final int USERS = 12;
    private static final List<String> COMPONENTS = List.of("nothing", "looking", "log");
    private static final List<List<OnDeath>> POLICIES = List.of(
            List.of(OnDeath.RESTART, OnDeath.FAIL),
            List.of(OnDeath.RESTART, OnDeath.BYPASS),
            List.of(OnDeath.BYPASS),
            List.of(OnDeath.FAIL));
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Limits LIMITS = Limits.STANDARD.withDrainTime(Duration.ofMillis(300));

    @Override
    public void run(Run run) throws Exception {
        String mark = "chain-" + ProcessHandle.current().pid() + "-" + run.seed;
        Random random = run.random(-1);
        Path folder = Files.createTempDirectory("soak");
        try {
            play(run, mark, random, folder, false);
            Leftovers leftovers = new Leftovers(mark);
            do {
                play(run, mark, random, folder, run.isBrief() || random.nextInt(5) > 0);
            } while (run.goesOn() && !run.isBrief());
            leftovers.expectNone(run);
        } finally {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private static void play(Run run, String mark, Random random, Path folder, boolean isRough) throws Exception {
        run.count(isRough ? "rough chains" : "calm chains");
        new Chain.Play(run, mark, random, folder, isRough).run();
    }

    /** One chain. */
    private static final class Play {
        private final Run run;
        private final Random random;
        private final boolean isRough;
        private final Ledger.Deaths deaths = new Ledger.Deaths();
        private final Ledger ledger;
        private final LinkedBlockingQueue<String> notices = new LinkedBlockingQueue<>();
        private final Conductor.Builder conductor = Conductor.builder();
        private volatile boolean isOver;
        private volatile boolean mayFail;

        Play(Run run, String mark, Random random, Path folder, boolean isRough) {
            this.run = run;
            this.random = random;
            this.isRough = isRough;
            this.ledger = isRough ? new Ledger(run, deaths) : new Ledger(run, true);
            for (String name : COMPONENTS) {
                conductor.proxy(Component.of(
                                name,
                                SoakProgram.component(
                                        mark, name, folder.resolve("log").toString()))
                        .onDeath(POLICIES.get(random.nextInt(POLICIES.size())).toArray(new OnDeath[0])));
            }
        }

        void run() throws Exception {
            long seed = random.nextLong();
            boolean isSlow = random.nextBoolean();
            UnaryOperator<InputStream> reading = in -> isSlow ? StallingStream.sometimes(in, new Random(seed)) : in;
            Ends front = Ends.join(reading, in -> in);
            Ends back = Ends.join(in -> in, reading);
            AnswerWatch before = new AnswerWatch(run);
            AnswerWatch behind = new AnswerWatch(run);
            SoakClient client = new SoakClient(run, ledger, isSlow);
            ConnectedClient agentEnd = new SoakAgent(run, ledger, !isRough)
                    .agent(LIMITS)
                    .onProblem(problem -> problem("the agent", problem.detail()))
                    .build()
                    .connect(behind.watch(back.agent()));
            try (RunningChain chain =
                    conductor.agent(back::client).onNotice(notices::add).build().start(front.agent())) {
                try (ConnectedAgent connection = client.client(LIMITS)
                        .onProblem(problem -> problem("the client", problem.detail()))
                        .connect(before.watch(front.client()))) {
                    List<Thread> users = begin(connection);
                    if (isRough) {
                        hurt(chain);
                    } else {
                        Run.lag(run.time.toMillis() / 8);
                    }
                    isOver = true;
                    awaitEnd(users);
                    boolean isUp = chain.failure().isEmpty();
                    if (isUp) {
                        before.expectAllAnswered(PATIENCE);
                        behind.expectAllAnswered(PATIENCE);
                    }
                }
                if (!agentEnd.rpc().awaitClosed(PATIENCE)) {
                    run.fault("the agent's end did not end");
                }
            }
            if (!isRough) {
                notices.forEach(notice -> run.fault("in a calm chain: " + notice));
            }
            ledger.settleAll();
            client.terminals.expectNone();
        }

        private void problem(String of, String detail) {
            if (!isRough) {
                run.fault(of + ": " + detail);
            }
        }

        // ---- what happens to components

        private void hurt(RunningChain chain) throws InterruptedException {
            int wounds = run.isBrief() ? 2 : 2 + random.nextInt(5);
            for (int i = 0;
                    i < wounds && chain.failure().isEmpty() && run.faults().isEmpty();
                    i++) {
                Run.lag(random.nextInt(700));
                int victim = random.nextInt(COMPONENTS.size());
                OptionalLong pid = chain.status().get(victim).pid();
                if (pid.isEmpty()) {
                    continue;
                }
                if (random.nextInt(4) == 0) {
                    run.count("components stopped for a while");
                    Chaos.signal("STOP", pid.getAsLong());
                    Run.lag(random.nextInt(400));
                    Chaos.signal("CONT", pid.getAsLong());
                } else {
                    run.count("components killed");
                    kill(COMPONENTS.get(victim), pid.getAsLong());
                }
            }
            Run.lag(random.nextInt(700));
        }

        private void kill(String name, long pid) throws InterruptedException {
            notices.clear();
            mayFail = true;
            deaths.begin();
            Chaos.signal("KILL", pid);
            String notice;
            do {
                notice = notices.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                if (notice == null) {
                    run.fault("nothing was done about the death of " + name);
                    return;
                }
            } while (!notice.startsWith("The component " + name + " has ended"));
            if (notice.endsWith("The chain ends.")) {
                run.count("chains that ended with a component");
                return;
            }
            run.count(notice.contains("started again") ? "components started again" : "components left out");
            mayFail = false;
            deaths.end();
        }

        // ---- who works

        private List<Thread> begin(ConnectedAgent connection) {
            int first = random.nextInt();
            List<Thread> users = new ArrayList<>();
            for (int i = 0; i < USERS; i++) {
                int number = first + i;
                users.add(Thread.ofVirtual().name("user-" + i).start(() -> use(connection, number)));
            }
            return users;
        }

        private void use(ConnectedAgent connection, int number) {
            for (int attempt = 0; !isOver; attempt++) {
                try {
                    SoakUser user = new SoakUser(run, ledger, connection, number + attempt * USERS, 0, !isRough);
                    while (!isOver) {
                        user.step();
                    }
                    user.close();
                } catch (ConnectionClosedException e) {
                    if (!mayFail) {
                        run.fault(Thread.currentThread().getName() + ": " + e);
                    }
                    return;
                } catch (RpcException | IllegalStateException | InterruptedException e) {
                    run.count("users who met an error");
                    if (!isRough) {
                        run.fault(Thread.currentThread().getName() + ": " + e);
                        return;
                    }
                }
            }
        }

        private void awaitEnd(List<Thread> users) throws InterruptedException {
            for (Thread user : users) {
                if (!user.join(PATIENCE)) {
                    run.fault(user.getName() + " still waits:\n  "
                            + String.join(
                                    "\n  ",
                                    Arrays.stream(user.getStackTrace())
                                            .map(StackTraceElement::toString)
                                            .toList()));
                    return;
                }
            }
        }
    }
}
