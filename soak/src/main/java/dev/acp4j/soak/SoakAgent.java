package dev.acp4j.soak;

import dev.acp4j.Agent;
import dev.acp4j.AgentSession;
import dev.acp4j.AgentTurn;
import dev.acp4j.PermissionAnswer;
import dev.acp4j.Stdio;
import dev.acp4j.ToolCallHandle;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Limits;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Version;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The agent under load. A prompt is a list of steps, so that the choices are the client's; each update has a number of
 * its flow.
 */
final class SoakAgent {
    /** How many updates of a turn and those before were sent when the answer was made. */
    static final String SENT = "soak/sent";

    static final String UPDATES = "updates";

    /** How the program tells, on standard error, what was wrong at its end. */
    static final String FAULT = "FAULT ";

    private final Run run;
    private final Ledger ledger;
    private final boolean calm;
    private final AtomicLong ids = new AtomicLong();

    /**
     * Begins.
     *
     * @param calm whether open questions are answered with <em>cancelled</em> only in turns that are cancelled: not
     *     when the connection breaks, and not over HTTP, where such an answer may overtake the cancellation
     */
    SoakAgent(Run run, Ledger ledger, boolean calm) {
        this.run = run;
        this.ledger = ledger;
        this.calm = calm;
    }

    /** The agent as a program, for runs with processes. */
    public static void main(String[] args) throws InterruptedException {
        Run run = Run.full(0, Version.V1, Duration.ofMinutes(5));
        new SoakAgent(run, new Ledger(run, false), false)
                .agent(Limits.STANDARD)
                .onProblem(problem -> System.err.println(problem.detail()))
                .serve(Stdio.system());
        run.faults().forEach(fault -> System.err.println(FAULT + fault));
    }

    Agent.Builder agent(Limits limits) {
        return Agent.builder("soak-agent", "1")
                .protocol(Version.V1, Version.V2)
                .limits(limits)
                .sessionIds(() -> SessionId.of("session-" + ids.incrementAndGet()))
                .onNewSession(session -> {
                    session.attach(new Background());
                    updates(session).send("opened", session::message);
                })
                .onLoadSession(session -> {
                    session.attach(new Background());
                    for (int i = 0; i < 5; i++) {
                        updates(session).send("replayed", text -> session.userMessage(ContentBlock.text(text)));
                    }
                })
                .onCloseSession(session -> session.attachment(Background.class).await())
                .on(Extension.ECHO, (client, params) -> {
                    run.count("extension calls");
                    // The client is asked in turn, so that calls wait for calls.
                    return params.toString().contains("deep") ? client.call(Extension.ECHO_BACK, params) : params;
                })
                .on(Extension.WAIT, (client, params) -> {
                    run.count("extension calls cancelled");
                    new CountDownLatch(1).await();
                    return params;
                })
                .onNotification(Extension.TICK, (client, params) -> Extension.see(ledger, params))
                .onPrompt(this::prompt);
    }

    private Ledger.Flow updates(AgentSession session) {
        return ledger.flow(session.id().value(), UPDATES);
    }

    private void prompt(AgentTurn turn) throws Exception {
        try {
            for (String step : turn.text().split(" ", -1)) {
                obey(turn, step);
            }
        } finally {
            turn.responseMeta(
                    Meta.of(SENT, RawJson.number(updates(turn.session()).sent())));
        }
    }

    private void obey(AgentTurn turn, String step) throws Exception {
        int number = step.length() > 1 ? Integer.parseInt(step.substring(1)) : 1;
        switch (step.charAt(0)) {
            case 'u' -> say(turn, number, "update");
            case 'U' -> say(turn, 1, "x".repeat(number * 1024));
            case 'r' -> expect("content of /soak/" + number, turn.files().readText(Path.of("/soak/" + number)));
            case 'w' -> turn.files().writeText(Path.of("/soak/" + number), "text " + number);
            case 'p' -> ask(turn, number);
            case 't' -> runCommand(turn, number);
            case 'e' -> expectEcho(turn, number);
            case 'b' -> background(turn.session(), number);
            case 'h' -> new CountDownLatch(1).await();
            default -> run.fault("the agent does not know the step " + step);
        }
    }

    private void say(AgentTurn turn, int count, String what) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            updates(turn.session()).send(what, turn::message);
        }
    }

    /** Asks, and is allowed what is even, refused what is odd, and never answered for 0. */
    private void ask(AgentTurn turn, int number) throws InterruptedException {
        AtomicReference<@Nullable ToolCallHandle> begun = new AtomicReference<>();
        updates(turn.session()).send("tool " + number, title -> begun.set(turn.toolCall(title, ToolKind.EDIT)));
        ToolCallHandle call = Objects.requireNonNull(begun.get());
        PermissionAnswer permission = call.start().requestPermission();
        if (!turn.isCancelled() && (calm || !permission.isCancelled())) {
            expect(number % 2 == 0 ? "allowed" : "refused", permission.isAllowed() ? "allowed" : "refused");
        }
        call.complete();
    }

    private void runCommand(AgentTurn turn, int number) throws InterruptedException {
        try (var terminal = turn.terminals().start(Path.of("/soak"), "command-" + number, List.of())) {
            terminal.waitForExit();
            expect("output of command-" + number, terminal.output().output());
        }
    }

    private void expectEcho(AgentTurn turn, int number) throws InterruptedException {
        RawJson asked = Extension.params(turn.sessionId().value(), "echo " + number);
        expect(asked.toString(), Extension.said(turn.client().call(Extension.ECHO_BACK, asked)));
    }

    private void expect(String expected, String actual) {
        run.count("callbacks answered");
        if (!expected.equals(actual)) {
            run.fault("expected " + expected + ", got " + actual);
        }
    }

    /** Sends beside the turn, perhaps longer than that. */
    private void background(AgentSession session, int count) {
        Ledger.Flow flow = ledger.flow(session.id().value(), "background-" + ids.incrementAndGet());
        session.attachment(Background.class).start(() -> {
            for (int i = 0; i < count; i++) {
                flow.send("beside", text -> session.thought(text));
            }
        });
    }

    private interface Work {
        void run() throws InterruptedException;
    }

    /** What a session does beside its turns. */
    private final class Background {
        private final ConcurrentLinkedQueue<Thread> threads = new ConcurrentLinkedQueue<>();

        void start(Work work) {
            threads.add(Thread.ofVirtual().start(() -> {
                try {
                    work.run();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } catch (IllegalStateException | ConnectionClosedException e) {
                    run.count("updates refused after the end of their session");
                }
            }));
        }

        void await() throws InterruptedException {
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }
}
