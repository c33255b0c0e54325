package dev.acp4j.testkit;

import dev.acp4j.AgentTurn;
import dev.acp4j.Feature;
import dev.acp4j.ToolCallHandle;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.Annotations;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.CompactionId;
import dev.acp4j.schema.CompactionStatus;
import dev.acp4j.schema.CompactionSummaryChunk;
import dev.acp4j.schema.CompactionUpdate;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Cost;
import dev.acp4j.schema.NoticeSeverity;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryPriority;
import dev.acp4j.schema.PlanEntryStatus;
import dev.acp4j.schema.ResourceContents;
import dev.acp4j.schema.Role;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.UsageUpdate;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Commands that send updates to the client: each kind of update, each kind of content. */
final class UpdateCommands {
    /** Its bytes are not a valid image. */
    private static final byte[] BYTES = {1, 2, 3};

    private static final Map<String, ContentBlock> CONTENT = new TreeMap<>(Map.of(
            "text", ContentBlock.text("plain"),
            "annotated",
                    ContentBlock.Text.builder("for the user")
                            .annotations(Annotations.builder()
                                    .addAudience(Role.USER)
                                    .lastModified("2026-01-02T03:04:05Z")
                                    .priority(0.5)
                                    .build())
                            .build(),
            "image", ContentBlock.image(BYTES, "image/png"),
            "audio", ContentBlock.audio(BYTES, "audio/wav"),
            "link", ContentBlock.resourceLink("notes.txt", "file:///notes.txt"),
            "resource", ContentBlock.resource(ResourceContents.text("file:///notes.txt", "some text")),
            "blob", ContentBlock.resource(ResourceContents.blob("file:///notes.bin", BYTES))));

    private static final List<ToolKind> KINDS = List.of(
            ToolKind.READ,
            ToolKind.EDIT,
            ToolKind.DELETE,
            ToolKind.MOVE,
            ToolKind.SEARCH,
            ToolKind.EXECUTE,
            ToolKind.THINK,
            ToolKind.FETCH,
            ToolKind.SWITCH_MODE,
            ToolKind.OTHER);

    static final List<TestCommand> ALL = List.of(
            new TestCommand("say hello", "say TEXT", "a piece of message", (turn, rest) -> turn.message(rest)),
            new TestCommand("think so", "think TEXT", "a piece of thought", (turn, rest) -> turn.thought(rest)),
            new TestCommand(
                    "user hello",
                    "user TEXT",
                    "a piece of a message of the user",
                    (turn, rest) -> turn.userMessage(ContentBlock.text(rest))),
            new TestCommand(
                    "content all",
                    "content KIND",
                    "a message of that kind: " + String.join(", ", CONTENT.keySet()) + ", or all of them",
                    UpdateCommands::content),
            new TestCommand(
                    "stream 3",
                    "stream N [MILLISECONDS]",
                    "this number of pieces of message, with that delay between them",
                    UpdateCommands::stream),
            new TestCommand(
                    "big 1000",
                    "big N",
                    "one piece of message with this number of letters",
                    (turn, rest) -> turn.message("x".repeat(Integer.parseInt(rest)))),
            new TestCommand(
                    "plan one,two",
                    "plan A,B,…",
                    "a plan, whose steps are then completed one by one",
                    (turn, rest) -> plan(turn, List.of(rest.split(",")))),
            new TestCommand(
                    "tool Look",
                    "tool TITLE",
                    "a tool call that completes",
                    (turn, rest) -> turn.toolCall(rest, ToolKind.OTHER).start().complete()),
            new TestCommand(
                    "break Look",
                    "break TITLE",
                    "a tool call that fails",
                    (turn, rest) -> turn.toolCall(rest, ToolKind.OTHER).start().fail("it broke")),
            new TestCommand(
                    "kinds",
                    "kinds",
                    "a tool call of each kind, with input, output, location, text and diff",
                    UpdateCommands::kinds),
            new TestCommand(
                    "commands say,think",
                    "commands NAME,…",
                    "other commands for the user",
                    (turn, rest) -> turn.commands(List.of(rest.split(",")).stream()
                            .map(name -> AvailableCommand.of(name, "Does " + name))
                            .toList())),
            new TestCommand(
                    "mode other",
                    "mode ID",
                    "another mode: normal, other",
                    (turn, rest) -> turn.mode(SessionModeId.of(rest))),
            new TestCommand(
                    "level high",
                    "level VALUE",
                    "another value of the option level: low, high",
                    (turn, rest) -> turn.configOptions(TestSessions.options(rest))),
            new TestCommand("title Work", "title TEXT", "a title", (turn, rest) -> turn.title(rest)),
            new TestCommand(
                    "usage 10 100",
                    "usage USED SIZE [COST]",
                    "the usage of the context, and optionally the cost in dollars",
                    (turn, rest) -> usage(turn, rest.split(" "))),
            new TestCommand(
                    "notice Look",
                    "notice TEXT",
                    "a notice, and a message that reports whether the client accepts notices",
                    UpdateCommands::notice),
            new TestCommand(
                    "compact", "compact", "a compaction of the context, with a summary", UpdateCommands::compact),
            new TestCommand(
                    "update {\"sessionUpdate\":\"_test_update\",\"number\":1}",
                    "update JSON",
                    "an update of an unknown kind",
                    (turn, rest) -> turn.update(update(turn, rest))));

    private UpdateCommands() {}

    private static SessionUpdate update(AgentTurn turn, String json) {
        String params = "{\"sessionId\":\"" + turn.sessionId() + "\",\"update\":" + json + "}";
        return RawJson.parse(params).decode(ClientMethods.UPDATE.params()).update();
    }

    private static void content(AgentTurn turn, String kind) throws InterruptedException {
        if (!kind.equals("all") && !CONTENT.containsKey(kind)) {
            turn.message("there is no " + kind + "; there are " + String.join(", ", CONTENT.keySet()));
            return;
        }
        for (Map.Entry<String, ContentBlock> entry : CONTENT.entrySet()) {
            if (kind.equals("all") || kind.equals(entry.getKey())) {
                turn.message(entry.getValue());
            }
        }
    }

    private static void stream(AgentTurn turn, String rest) throws InterruptedException {
        String[] numbers = rest.split(" ", 2);
        for (int i = 0; i < Integer.parseInt(numbers[0]); i++) {
            if (numbers.length > 1) {
                new CountDownLatch(1).await(Long.parseLong(numbers[1]), TimeUnit.MILLISECONDS);
            }
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

    private static void kinds(AgentTurn turn, String rest) throws InterruptedException {
        Path file = turn.session().cwd().resolve("notes.txt");
        for (ToolKind kind : KINDS) {
            ToolCallHandle call = turn.toolCall(kind.value(), kind).rawInput(RawJson.parse("{\"number\":1}"));
            call.location(file, 1)
                    .start()
                    .text("working")
                    .diff(file, "old\n", "new\n")
                    .rawOutput(RawJson.parse("{\"done\":true}"))
                    .complete();
        }
    }

    private static void usage(AgentTurn turn, String[] numbers) throws InterruptedException {
        var usage = UsageUpdate.builder(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]));
        if (numbers.length > 2) {
            usage.cost(Cost.of(Double.parseDouble(numbers[2]), "USD"));
        }
        turn.usage(usage.build());
    }

    private static void notice(AgentTurn turn, String text) throws InterruptedException {
        turn.notice(NoticeSeverity.INFO, text, null);
        turn.message("notice: " + turn.client().supports(Feature.NOTICES));
    }

    private static void compact(AgentTurn turn, String rest) throws InterruptedException {
        CompactionId id = CompactionId.of("compaction-1");
        turn.compaction(
                CompactionUpdate.builder(id, CompactionStatus.IN_PROGRESS).build());
        turn.compaction(CompactionSummaryChunk.of(id, ContentBlock.text("it was long")));
        turn.compaction(CompactionUpdate.builder(id, CompactionStatus.COMPLETED).build());
        turn.message("compaction: " + turn.client().supports(Feature.COMPACTION));
    }
}
