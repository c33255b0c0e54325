package dev.acp4j.examples;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Feature;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.TurnResult;
import dev.acp4j.process.Launch;
import dev.acp4j.process.ProcessFailedException;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Version;
import dev.acp4j.trace.TraceFile;
import dev.acp4j.trace.Tracer;
import dev.acp4j.workspace.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The recipes for clients in docs/cookbook.md, which shows them as they stand here. */
final class ClientRecipes {
    private ClientRecipes() {}

    // recipe: ask
    static String ask(Launch launch, Path folder, String question) throws InterruptedException {
        try (var agent = Client.builder("ask", "1.0").connect(launch);
                var session = agent.newSession(folder)) {
            return session.prompt(question).text();
        }
    }
    // end

    // recipe: policy
    static final Set<ToolKind> HARMLESS = Set.of(ToolKind.READ, ToolKind.SEARCH, ToolKind.THINK);

    static RequestPermissionOutcome decide(PermissionQuestion request) {
        var call = request.toolCall();
        return call != null && HARMLESS.contains(call.kind()) ? request.allowOnce() : request.rejectOnce();
    }
    // end

    // recipe: workspace
    static Client helpful() {
        var client = Client.builder("helpful", "1.0").onPermission(ClientRecipes::decide);
        return Workspace.offerTo(client).build();
    }
    // end

    // recipe: progress
    static void show(Session session, SessionEvent event) {
        switch (event) {
            case SessionEvent.Message message -> System.out.print(message.text());
            case SessionEvent.ToolCallChanged change ->
                System.out.println(change.call().title() + ": " + change.call().status());
            case SessionEvent.PlanChanged change ->
                System.out.println(change.plan().entries().size() + " steps");
            default -> {}
        }
    }
    // end

    // recipe: timeout
    static TurnResult promptFor(Duration time, Session session, String question) throws InterruptedException {
        try (var turn = session.prompt(question)) {
            CompletableFuture.delayedExecutor(time.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(turn::cancel);
            return turn.result();
        }
    }
    // end

    // recipe: restart
    static String askAgain(Launch launch, Path folder, String question) throws InterruptedException {
        try {
            return ask(launch, folder, question);
        } catch (ProcessFailedException e) {
            System.err.println(e.report());
            return ask(launch, folder, question);
        }
    }
    // end

    // recipe: list
    static void continueNewest(ConnectedAgent agent, Path folder) throws InterruptedException {
        for (var stored : agent.listSessions(folder)) {
            try (var session = agent.loadSession(stored.sessionId(), folder)) {
                System.out.println(session.view().messages().size() + " messages so far");
                System.out.println(session.prompt("Where were we?").text());
            }
            return;
        }
    }
    // end

    // recipe: steer
    static void steer(ConnectedAgent agent, Session session) throws InterruptedException {
        if (agent.supports(Feature.STEERING)) {
            session.steer("Leave the tests alone");
        }
    }
    // end

    // recipe: trace
    static void traced(Launch launch, Path folder, Path file) throws IOException, InterruptedException {
        try (var trace = TraceFile.create(file, launch.commandLine());
                var agent =
                        Client.builder("traced", "1.0").trace(Tracer.of(trace)).connect(launch)) {
            agent.newSession(folder).prompt("Hello!").result();
        }
    }
    // end

    static void speakBothVersions(Client.Builder client) {
        client.protocol(Version.V1, Version.V2);
    }
}
