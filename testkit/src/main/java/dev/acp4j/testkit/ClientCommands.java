package dev.acp4j.testkit;

import dev.acp4j.AgentTurn;
import dev.acp4j.PermissionAnswer;
import dev.acp4j.RemoteTerminal;
import dev.acp4j.ToolCallHandle;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.CompleteElicitationNotification;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationId;
import dev.acp4j.schema.ElicitationSchema;
import dev.acp4j.schema.ElicitationScope;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionId;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.StringPropertySchema;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.WaitForTerminalExitResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Commands that send requests to the client and report its responses in messages. */
final class ClientCommands {
    private static final List<PermissionOptionKind> KINDS = List.of(
            PermissionOptionKind.ALLOW_ONCE,
            PermissionOptionKind.ALLOW_ALWAYS,
            PermissionOptionKind.REJECT_ONCE,
            PermissionOptionKind.REJECT_ALWAYS);

    static final List<TestCommand> ALL = List.of(
            asking(
                    "ask Edit",
                    "ask TITLE",
                    "permission for a tool call, which then completes or fails",
                    (turn, rest) -> ask(turn, rest)),
            asking(
                    "choose Edit",
                    "choose TITLE",
                    "permission with an option of each kind, and reports the choice",
                    ClientCommands::choose),
            asking(
                    "read /notes.txt",
                    "read PATH",
                    "the text of a file",
                    (turn, rest) -> turn.message(turn.files().readText(Path.of(rest)))),
            asking(
                    "lines 1 2 /notes.txt",
                    "lines FROM COUNT PATH",
                    "this number of lines of a file",
                    ClientCommands::lines),
            asking("write /notes.txt new", "write PATH TEXT", "to write a file", ClientCommands::write),
            asking(
                    "run echo hello",
                    "run COMMAND ARGUMENT …",
                    "a command in a terminal, and reports its output and exit status",
                    (turn, rest) -> run(turn, List.of(rest.split(" ")), false)),
            asking(
                    "kill sleep 1000",
                    "kill COMMAND ARGUMENT …",
                    "a command in a terminal, which it kills, and reports its exit status",
                    (turn, rest) -> run(turn, List.of(rest.split(" ")), true)),
            asking("form", "form", "input by a form", ClientCommands::form),
            asking("url", "url", "input by a web page, and reports its completion", ClientCommands::url),
            asking(
                    "call _test/echo {\"number\":1}",
                    "call METHOD JSON",
                    "an extension's request",
                    (turn, rest) -> turn.message(turn.client()
                            .call(TestCommand.firstWord(rest), RawJson.parse(TestCommand.rest(rest)))
                            .toString())),
            asking(
                    "send _test/note {\"number\":1}",
                    "send METHOD JSON",
                    "an extension's notification",
                    (turn, rest) ->
                            turn.client().send(TestCommand.firstWord(rest), RawJson.parse(TestCommand.rest(rest)))));

    private ClientCommands() {}

    /** Reports requests that the client rejects or does not offer; the turn continues. */
    private static TestCommand asking(String example, String usage, String about, TestCommand.Action action) {
        return new TestCommand(example, usage, about, (turn, rest) -> {
            try {
                action.run(turn, rest);
            } catch (RpcError e) {
                turn.message("refused: " + e.code() + " " + e.message());
            } catch (IllegalStateException e) {
                turn.message("not offered: " + e.getMessage());
            }
        });
    }

    private static void ask(AgentTurn turn, String title) throws InterruptedException {
        ToolCallHandle call = turn.toolCall(title, ToolKind.EDIT);
        PermissionAnswer permission = call.requestPermission();
        if (permission.isAllowed()) {
            call.start().complete();
            turn.message("allowed");
        } else {
            call.fail("not allowed");
            turn.message(permission.isCancelled() ? "cancelled" : "rejected");
        }
    }

    private static void choose(AgentTurn turn, String title) throws InterruptedException {
        List<PermissionOption> options = new ArrayList<>();
        for (PermissionOptionKind kind : KINDS) {
            options.add(PermissionOption.of(PermissionOptionId.of(kind.value() + "-1"), kind.value(), kind));
        }
        ToolCallHandle call = turn.toolCall(title, ToolKind.EDIT);
        PermissionAnswer permission = call.requestPermission(options.toArray(PermissionOption[]::new));
        @Nullable PermissionOption chosen = permission.option();
        call.start().complete();
        turn.message(chosen == null ? "cancelled" : chosen.kind().value());
    }

    private static void lines(AgentTurn turn, String rest) throws InterruptedException {
        String[] words = rest.split(" ", 3);
        turn.message(turn.files().readText(Path.of(words[2]), Integer.parseInt(words[0]), Integer.parseInt(words[1])));
    }

    private static void write(AgentTurn turn, String rest) throws InterruptedException {
        turn.files().writeText(Path.of(TestCommand.firstWord(rest)), TestCommand.rest(rest));
        turn.message("written");
    }

    private static void run(AgentTurn turn, List<String> command, boolean kill) throws InterruptedException {
        try (RemoteTerminal terminal =
                turn.terminals().start(turn.session().cwd(), command.get(0), command.subList(1, command.size()))) {
            turn.toolCall("run", ToolKind.EXECUTE)
                    .start()
                    .terminal(terminal.id())
                    .complete();
            if (kill) {
                terminal.kill();
            }
            WaitForTerminalExitResponse exit = terminal.waitForExit();
            String end = exit.signal() == null ? "exit " + exit.exitCode() : "signal " + exit.signal();
            turn.message(terminal.output().output() + end);
        }
    }

    private static void form(AgentTurn turn, String rest) throws InterruptedException {
        ElicitationSchema fields = ElicitationSchema.builder()
                .properties(Map.of("name", StringPropertySchema.builder().build()))
                .required(List.of("name"))
                .build();
        CreateElicitationResponse answer = turn.elicit(CreateElicitationRequest.form(
                ElicitationScope.session(turn.sessionId()), "What is your name?", fields));
        turn.message(
                answer instanceof CreateElicitationResponse.Accept accept
                        ? "form: " + accept.content().keySet()
                        : "no form");
    }

    private static void url(AgentTurn turn, String rest) throws InterruptedException {
        ElicitationId id = ElicitationId.of("elicitation-1");
        CreateElicitationResponse answer = turn.elicit(CreateElicitationRequest.url(
                ElicitationScope.session(turn.sessionId()), "Look at this", id, "https://example.com/test"));
        turn.client().send(ClientMethods.COMPLETE_ELICITATION, CompleteElicitationNotification.of(id));
        turn.message(answer instanceof CreateElicitationResponse.Accept ? "looked" : "not looked");
    }
}
