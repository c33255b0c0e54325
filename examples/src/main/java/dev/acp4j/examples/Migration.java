package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.Client;
import dev.acp4j.Feature;
import dev.acp4j.SessionEvent;
import dev.acp4j.Stdio;
import dev.acp4j.process.Launch;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.workspace.Workspace;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;

/** The code in the tables of docs/migration.md, whose rows are held against these lines. */
final class Migration {
    private Migration() {}

    static void agent() throws InterruptedException {
        Agent.builder("name", "1.0")
                .onPrompt(Migration::answer)
                .onNewSession(session -> session.attach(new ArrayList<String>()))
                .onLoadSession(session -> session.message("again"))
                .onSetMode((session, mode) -> session.title("Mode: " + mode))
                .serve(Stdio.system());
    }

    static void answer(AgentTurn turn) throws InterruptedException {
        turn.message("text");
        turn.thought("text");
        Path file = turn.session().cwd().resolve("file");
        var call = turn.toolCall("Write out.txt", ToolKind.EDIT);
        call.location(file).diff(file, null, "text").start();
        call.complete();
        boolean isAllowed = call.requestPermission().isAllowed();
        boolean isYes = turn.ask("Delete it?");
        var result = turn.run("mvn", "test");
        String text = turn.files().readText(file);
        turn.files().writeText(file, "text");
        var plan = turn.plan("Read", "Write");
        plan.next();
        InputStream model = InputStream.nullInputStream();
        turn.onCancel(() -> close(model));
        boolean canRun = turn.client().supports(Feature.TERMINALS);
        if (!isAllowed && !isYes && !canRun && !result.hasSucceeded()) {
            throw RpcError.invalidParams("the reason: " + text);
        }
        turn.stop(StopReason.REFUSAL);
    }

    static void client(Path folder) throws InterruptedException {
        var client = Client.builder("name", "1.0")
                .onPermission(question -> question.allowOnce())
                .onEvent((session, event) -> System.out.println(event));
        Workspace.offerTo(client);
        try (var agent = client.connect(Launch.of("my-agent", "--acp").env("NAME", "value"))) {
            var session = agent.newSession(folder);
            var turn = session.prompt("text");
            for (var event : turn) {
                if (event instanceof SessionEvent.Message message) {
                    System.out.print(message.text());
                }
            }
            turn.cancel();
            System.out.println(turn.result().stopReason());
        }
    }

    private static void close(InputStream stream) {
        try {
            stream.close();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
