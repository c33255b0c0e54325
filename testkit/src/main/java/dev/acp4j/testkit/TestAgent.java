package dev.acp4j.testkit;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.Permission;
import dev.acp4j.TerminalHandle;
import dev.acp4j.ToolCallHandle;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.NoticeSeverity;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryPriority;
import dev.acp4j.schema.PlanEntryStatus;
import dev.acp4j.schema.PromptCapabilities;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * An agent that does what the prompt says, the same way each time. Each line of a prompt is a command:
 *
 * <ul>
 *   <li>{@code say TEXT}, {@code think TEXT}: a piece of message or thought
 *   <li>{@code stream N}: N pieces {@code "0 "}, {@code "1 "}, …
 *   <li>{@code plan A,B}: a plan; its steps are then completed one by one
 *   <li>{@code tool TITLE}: a tool call that completes; {@code ask TITLE}: one that asks for permission first
 *   <li>{@code read PATH}, {@code write PATH TEXT}: the client's files
 *   <li>{@code run COMMAND ARG …}: a command in the client's terminal
 *   <li>{@code title TEXT}, {@code usage USED SIZE}, {@code notice TEXT}
 *   <li>{@code wait}: until the turn is cancelled
 *   <li>{@code stop REASON}: sets the stop reason; {@code fail CODE MESSAGE}: answers with an error; {@code crash}:
 *       fails with an exception; {@code exit CODE}: ends the process
 * </ul>
 *
 * <p>Any other line is said back. Sessions are numbered {@code test-1}, {@code test-2}, …; their conversation is kept
 * in memory for load and resume.
 */
public final class TestAgent {
    private TestAgent() {}

    /** Returns the agent. */
    public static Agent create() {
        return builder().build();
    }

    /** Returns a builder of the agent, to change it for a test. */
    public static Agent.Builder builder() {
        TestSessions sessions = new TestSessions();
        return Agent.builder("acp4j-test-agent", "1")
                .title("Test agent")
                .promptCapabilities(PromptCapabilities.builder()
                        .embeddedContext(true)
                        .image(true)
                        .audio(true)
                        .build())
                .additionalDirectories(true)
                .sessionIds(sessions::nextId)
                .onNewSession(session -> {
                    sessions.opened(session);
                    session.commands(
                            List.of(AvailableCommand.builder("say", "Says it").build()));
                })
                .onLoadSession(sessions::load)
                .onResumeSession(sessions::resume)
                .onListSessions(sessions::list)
                .onCloseSession(session -> {})
                .onDeleteSession(sessions::delete)
                .onSetMode((session, mode) -> {})
                .onPrompt(turn -> {
                    sessions.remember(turn);
                    for (String line : turn.text().lines().toList()) {
                        turn.checkCancelled();
                        obey(turn, line);
                    }
                });
    }

    private static void obey(AgentTurn turn, String line) throws Exception {
        int space = line.indexOf(' ');
        String command = space < 0 ? line : line.substring(0, space);
        String rest = space < 0 ? "" : line.substring(space + 1);
        switch (command) {
            case "say" -> turn.message(rest);
            case "think" -> turn.thought(rest);
            case "stream" -> stream(turn, Integer.parseInt(rest));
            case "plan" -> plan(turn, List.of(rest.split(",")));
            case "tool" -> turn.toolCall(rest, ToolKind.OTHER).start().complete();
            case "ask" -> ask(turn, rest);
            case "read" -> turn.message(turn.files().readText(Path.of(rest)));
            case "write" -> write(turn, rest);
            case "run" -> run(turn, List.of(rest.split(" ")));
            case "title" -> turn.title(rest);
            case "usage" -> usage(turn, rest.split(" "));
            case "notice" -> turn.message("notice: " + turn.notice(NoticeSeverity.INFO, rest, null));
            case "wait" -> new CountDownLatch(1).await();
            case "stop" -> turn.stop(StopReason.of(rest));
            case "fail" -> fail(rest);
            case "crash" -> throw new IllegalStateException("crash");
            case "exit" -> Runtime.getRuntime().halt(Integer.parseInt(rest));
            default -> turn.message(ContentBlock.text(line));
        }
    }

    private static void stream(AgentTurn turn, int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            turn.message(i + " ");
        }
    }

    private static void plan(AgentTurn turn, List<String> steps) throws InterruptedException {
        for (int done = 0; done <= steps.size(); done++) {
            List<PlanEntry> entries = new ArrayList<>();
            for (String step : steps) {
                PlanEntryStatus status = entries.size() < done ? PlanEntryStatus.COMPLETED : PlanEntryStatus.PENDING;
                entries.add(PlanEntry.of(step, PlanEntryPriority.MEDIUM, status));
            }
            turn.plan(entries);
        }
    }

    private static void ask(AgentTurn turn, String title) throws InterruptedException {
        ToolCallHandle call = turn.toolCall(title, ToolKind.EDIT);
        Permission permission = call.requestPermission();
        if (permission.isAllowed()) {
            call.start().complete();
            turn.message("allowed");
        } else {
            call.fail("not allowed");
            turn.message(permission.isCancelled() ? "cancelled" : "rejected");
        }
    }

    private static void write(AgentTurn turn, String rest) throws InterruptedException {
        int space = rest.indexOf(' ');
        turn.files().writeText(Path.of(rest.substring(0, space)), rest.substring(space + 1));
        turn.message("written");
    }

    private static void run(AgentTurn turn, List<String> command) throws InterruptedException {
        try (TerminalHandle terminal =
                turn.terminals().start(turn.session().cwd(), command.get(0), command.subList(1, command.size()))) {
            turn.toolCall("run", ToolKind.EXECUTE)
                    .start()
                    .terminal(terminal.id())
                    .complete();
            var exit = terminal.waitForExit();
            turn.message(terminal.output().output() + "exit " + exit.exitCode());
        }
    }

    private static void usage(AgentTurn turn, String[] numbers) throws InterruptedException {
        turn.usage(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]));
    }

    private static void fail(String rest) {
        int space = rest.indexOf(' ');
        throw new RpcError(Integer.parseInt(rest.substring(0, space)), rest.substring(space + 1));
    }
}
