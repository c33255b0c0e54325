package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.AgentTerminal;
import dev.acp4j.AgentTurn;
import dev.acp4j.Stdio;
import dev.acp4j.ToolCallHandle;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.ToolKind;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * What Claude and Codex speak beside version 1 of the protocol: the user logs in by a variable of the environment, says
 * something into a running turn, and watches the commands that the agent runs by itself. Each prompt is a command line,
 * for example {@code seq 3}. Between its end and that of the turn the user has five seconds to say something.
 */
final class DialectAgent {
    private static final RawJson KEY = RawJson.parse("""
            {"type":"env_var","id":"key","name":"Use a key","vars":[{"name":"DIALECT_KEY","label":"Key"}]}
            """);

    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();

    public static void main(String[] args) throws InterruptedException {
        var agent = new DialectAgent();
        Agent.builder("dialect", "1.0")
                .meta(Meta.of("steering", RawJson.parse("{\"supported\":true}")))
                .onAuthenticate(List.of(new AuthMethod.Unknown("env_var", KEY)), (client, method) -> {})
                .onNewSession(session -> {
                    if (System.getenv("DIALECT_KEY") == null) {
                        throw RpcError.authRequired();
                    }
                })
                .on("_session/steering", (client, params) -> agent.steer(params))
                .onPrompt(agent::run)
                .build()
                .serve(Stdio.system());
    }

    private RawJson steer(RawJson params) {
        // It has the members of a prompt.
        for (ContentBlock block : params.decode(AgentMethods.PROMPT.params()).prompt()) {
            if (block instanceof ContentBlock.Text text) {
                said.add(text.text());
            }
        }
        return RawJson.parse("{\"outcome\":\"injected\"}");
    }

    private void run(AgentTurn turn) throws IOException, InterruptedException {
        said.clear();
        try (ToolCallHandle call = turn.toolCall(turn.text(), ToolKind.EXECUTE).start();
                AgentTerminal terminal =
                        call.openTerminal(turn.text(), turn.session().cwd())) {
            Process command = new ProcessBuilder("sh", "-c", turn.text())
                    .directory(turn.session().cwd().toFile())
                    .redirectErrorStream(true)
                    .start();
            turn.onCancel(() -> {
                command.descendants().forEach(ProcessHandle::destroy);
                command.destroy();
            });
            InputStream output = command.getInputStream();
            byte[] buffer = new byte[8192];
            for (int n = output.read(buffer); n >= 0; n = output.read(buffer)) {
                terminal.print(Arrays.copyOf(buffer, n));
            }
            terminal.exited(command.waitFor());
            call.complete();
        }
        turn.message("Anything else?");
        String more = said.poll(5, TimeUnit.SECONDS);
        turn.message(more == null ? " No." : " You said: " + more);
    }
}
