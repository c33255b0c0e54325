package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.Stdio;
import dev.acp4j.ToolCallHandle;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Version;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** An agent that is a client of another one: each line of a prompt is a task for the agent that its arguments start. */
final class OrchestratingAgent {
    private final Map<SessionId, ToolCallHandle> tasks = new ConcurrentHashMap<>();

    public static void main(String[] args) throws InterruptedException {
        var orchestrator = new OrchestratingAgent();
        try (var worker =
                orchestrator.client().connect(Launch.of(args[0], List.of(args).subList(1, args.length)))) {
            orchestrator.agent(worker).serve(Stdio.system());
        }
    }

    /** The side towards the worker. Either side may speak either version of the protocol. */
    Client.Builder client() {
        return Client.builder("orchestrator", "1.0").protocol(Version.values()).onPermission(this::permission);
    }

    /** The side towards the editor. */
    Agent.Builder agent(ConnectedAgent worker) {
        return Agent.builder("orchestrator", "1.0")
                .protocol(Version.values())
                .onNewSession(session -> session.attach(worker.newSession(session.cwd())))
                .onCloseSession(session -> session.attachment(Session.class).close())
                .onPrompt(this::delegate);
    }

    /** When the user cancels, this thread is interrupted; closing the worker's turn cancels that. */
    private void delegate(AgentTurn turn) throws InterruptedException {
        var worker = turn.session().attachment(Session.class);
        for (var task : turn.text().lines().toList()) {
            var call = turn.toolCall(task, ToolKind.OTHER).start();
            tasks.put(worker.id(), call);
            try (var asked = worker.prompt(task)) {
                turn.message(asked.text() + "\n");
            }
            call.complete();
        }
    }

    /** What the worker wants to know, the user answers. */
    private RequestPermissionOutcome permission(PermissionQuestion question) throws InterruptedException {
        var call = tasks.get(question.session().id());
        if (call == null) {
            return question.cancelled();
        }
        var answer = call.requestPermission(question.options().toArray(PermissionOption[]::new));
        return answer.option() == null ? question.cancelled() : question.choose(answer.option());
    }
}
