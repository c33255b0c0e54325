package dev.acp4j.soak;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.RpcException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * 64 sessions on one connection over real pipes: whatever was sent is seen once, in order, before the answer that
 * follows it, and every request is answered once.
 */
final class ManySessions implements Trial {
    private static final int SESSIONS = 64;
    private static final int MIB = 1024 * 1024;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Small enough that producers have to wait: a lane, and what is to be written, hold a few large updates. */
    private static final Limits NARROW =
            Limits.STANDARD.withMessageBytes(4 * MIB).withQueueBytes(MIB / 2, MIB);

    private final boolean slow;

    /** With consumers that lag, readers that stall and large updates, or without. */
    ManySessions(boolean slow) {
        this.slow = slow;
    }

    @Override
    public void run(Run run) throws Exception {
        Ledger ledger = new Ledger(run, true);
        SoakClient client = new SoakClient(run, ledger, slow);
        SoakAgent agent = new SoakAgent(run, ledger, true);
        Limits limits = slow ? NARROW : Limits.STANDARD;
        AnswerWatch watch = new AnswerWatch(run);
        UnaryOperator<InputStream> stalls = in -> slow ? StallingStream.sometimes(in, run.random(-1)) : in;
        Ends ends = Ends.join(stalls, stalls);
        try (ConnectedClient agentEnd = agent.agent(limits)
                .onProblem(problem -> run.fault("agent: " + problem.detail()))
                .build()
                .connect(ends.agent())) {
            try (ConnectedAgent connection = client.client(limits)
                    .onProblem(problem -> run.fault("client: " + problem.detail()))
                    .connect(watch.watch(ends.client()))) {
                work(run, ledger, connection);
                watch.expectAllAnswered(PATIENCE);
            }
            if (!agentEnd.rpc().awaitClosed(PATIENCE)) {
                run.fault("the agent's end did not end");
            }
        }
        ledger.settleAll();
        client.terminals.expectNone();
        if (slow) {
            System.gc();
            Runtime jvm = Runtime.getRuntime();
            run.count("MiB of heap at most", jvm.maxMemory() / MIB);
            run.count("MiB of heap used after the end", (jvm.totalMemory() - jvm.freeMemory()) / MIB);
        }
    }

    private void work(Run run, Ledger ledger, ConnectedAgent connection) throws InterruptedException {
        List<Thread> users = new ArrayList<>();
        for (int i = 0; i < SESSIONS; i++) {
            int number = i;
            users.add(Thread.ofVirtual().name("user-" + i).start(() -> use(run, ledger, connection, number)));
        }
        for (Thread user : users) {
            while (!user.join(Duration.ofSeconds(1))) {
                if (run.nanos() > run.time.plus(PATIENCE).toNanos()) {
                    run.fault(user.getName() + " hangs:\n  "
                            + String.join(
                                    "\n  ",
                                    List.of(user.getStackTrace()).stream()
                                            .map(StackTraceElement::toString)
                                            .toList()));
                    return;
                }
            }
        }
    }

    private void use(Run run, Ledger ledger, ConnectedAgent connection, int number) {
        try {
            SoakUser user = new SoakUser(run, ledger, connection, number, slow ? 512 : 0, true);
            while (run.goesOn()) {
                user.step();
            }
            user.close();
        } catch (InterruptedException | RpcException | IllegalStateException e) {
            run.fault("user " + number + ": " + e);
        }
    }
}
