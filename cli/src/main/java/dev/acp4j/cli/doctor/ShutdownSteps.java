package dev.acp4j.cli.doctor;

import dev.acp4j.cli.command.Durations;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.json.JsonException;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.process.ProcessTree;
import dev.acp4j.schema.AgentMethods;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Checks whether an agent exits correctly and leaves no processes behind. */
final class ShutdownSteps {
    /** The timeout for an agent to end after the end of its input. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    /** The timeout after it was asked to terminate. */
    static final Duration MERCY = Duration.ofSeconds(2);

    private static final int FUTURE_VERSION = 65_535;

    private ShutdownSteps() {}

    /** The agent and its descendants end when its input ends. */
    static Finding end(ExaminedAgent agent) {
        LaunchedProcess launched = agent.running();
        boolean wasAlive = launched.isAlive();
        List<ProcessHandle> children = ProcessHandle.of(launched.pid())
                .map(process -> process.descendants().toList())
                .orElse(List.of());
        long begin = System.nanoTime();
        AtomicLong ended = new AtomicLong();
        ProcessHandle.of(launched.pid()).ifPresent(process -> {
            var unused = process.onExit().thenRun(() -> ended.set(System.nanoTime() - begin));
        });
        agent.close();
        ProcessTree.Step how =
                launched.ending().map(ProcessTree.Ending::lastStep).orElse(ProcessTree.Step.WAITED);
        boolean byItself = ended.get() > 0 && ended.get() < PATIENCE.toNanos();
        if (!wasAlive) {
            return Finding.skipped("it had ended before");
        }
        List<ProcessHandle> daemons = launched.daemons();
        if (how == ProcessTree.Step.WAITED && !daemons.isEmpty()) {
            return left(daemons);
        }
        if (how == ProcessTree.Step.WAITED) {
            return Finding.ok("ended by itself " + ended.get() / 1_000_000 + " ms after its input");
        }
        return byItself ? leftovers(children) : stubborn(how);
    }

    private static Finding left(List<ProcessHandle> daemons) {
        List<String> names = new ArrayList<>();
        for (ProcessHandle daemon : daemons) {
            names.add(daemon.info().command().orElse("a process") + ", pid " + daemon.pid());
        }
        return Finding.warning("it ended, and left running in the background: " + daemons.size())
                .because("It started a daemon: a process in a session of its own, which acp leaves alone.")
                .next("If nobody needs it, end it with kill, and look for a setting of the agent.")
                .shown("background processes:", names, 10);
    }

    private static Finding leftovers(List<ProcessHandle> children) {
        List<String> names = new ArrayList<>();
        for (ProcessHandle child : children) {
            names.add(child.info().command().orElse("a process"));
        }
        return Finding.warning("it ended, but left processes behind" + (names.isEmpty() ? "" : ": " + children.size()))
                .because("A client that ends only the agent's own process leaves them running.")
                .next("Report it to the agent's authors; without a wrapper script it may not happen.")
                .shown("remaining processes:", names, 10);
    }

    private static Finding stubborn(ProcessTree.Step how) {
        boolean killed = how == ProcessTree.Step.KILLED;
        Finding finding = killed
                ? Finding.problem("it did not end within " + Durations.text(PATIENCE)
                        + " of the end of its input, nor when it was asked to terminate; it was killed")
                : Finding.warning("it did not end within " + Durations.text(PATIENCE)
                        + " of the end of its input; it had to be terminated");
        return finding.because(
                        "An agent must end with its input: otherwise clients that only close the input leave it running.")
                .next("Report it to the agent's authors.");
    }

    /** Standard output contains nothing but the protocol. */
    static Finding stdout(ExaminedAgent agent) {
        List<String> noise = agent.noise();
        List<String> odd = agent.stdout().oddities();
        if (noise.isEmpty() && odd.isEmpty()) {
            return Finding.ok("nothing but the protocol");
        }
        Finding finding = noise.isEmpty()
                ? Finding.warning(String.join(", ", odd)).because("acp skips this, but not every client does.")
                : Finding.warning(
                                "text that is not the protocol" + (odd.isEmpty() ? "" : ", " + String.join(", ", odd)))
                        .because("A start script, a logger or a library prints to standard output.");
        return finding.next("Print it to standard error instead.")
                .shown("not the protocol:", noise, Failure.NOISE_LINES);
    }

    /** A client of a future version gets the version that the agent supports. */
    static Finding future(ExaminedAgent agent) throws InterruptedException {
        try (ExaminedAgent again = agent.again()) {
            again.start();
            Reply reply = again.ask(AgentMethods.INITIALIZE, StartSteps.request(FUTURE_VERSION, agent.protocol));
            if (!(reply instanceof Reply.Result result)) {
                Finding finding = reply.finding("initialize with a future version");
                return reply instanceof Reply.Refused ? asWarning(finding) : finding;
            }
            int version = result.value()
                    .decode(AgentMethods.INITIALIZE.result(), "result")
                    .protocolVersion();
            String text = "asked for an unknown protocol version, it answers "
                    + (version == FUTURE_VERSION ? "with that" : version);
            return version != FUTURE_VERSION ? Finding.ok(text) : asWarning(Finding.ok(text + ", as if it spoke it"));
        } catch (IOException | JsonException e) {
            return Finding.problem("it could not be started a second time: " + e.getMessage());
        }
    }

    private static Finding asWarning(Finding finding) {
        return Finding.warning(finding.text())
                .because("An agent must respond with the newest version it supports, so that newer clients can decide.")
                .next("Report it to the agent's authors.");
    }
}
