package dev.acp4j.cli.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Entry;
import dev.acp4j.Timeline;
import dev.acp4j.cli.Golden;
import dev.acp4j.cli.Shown;
import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.Screen;
import dev.acp4j.cli.terminal.TerminalText;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Notice;
import dev.acp4j.schema.NoticeSeverity;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryPriority;
import dev.acp4j.schema.PlanEntryStatus;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallLocation;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jline.utils.ScreenTerminal;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SessionRendererTest {
    private static final Path CWD = Path.of("/home/ada/shop");

    @ParameterizedTest
    @ValueSource(ints = {80, 160})
    void aTurnReadsWell(int width) throws Exception {
        StringBuilder out = new StringBuilder();
        SessionRenderer renderer = renderer(new Screen(out::append, new Display(width, 24, false, false, true)));

        play(renderer);

        Golden.check("turn-" + width + ".txt", out.toString());
    }

    @Test
    void aTurnReadsWellInColour() throws Exception {
        StringBuilder out = new StringBuilder();
        SessionRenderer renderer = renderer(new Screen(out::append, new Display(80, 24, true, false, true)));

        play(renderer);

        Golden.check("turn-80-colour.txt", out.toString().replace('\u001b', '␛'));
    }

    @Test
    void aTurnReadsWellInAscii() throws Exception {
        StringBuilder out = new StringBuilder();
        SessionRenderer renderer = renderer(new Screen(out::append, new Display(80, 24, false, false, false)));

        play(renderer);

        assertThat(out.toString().codePoints()).allMatch(c -> c < 128);
    }

    @Test
    void whatIsUnderWayIsRewritten() throws Exception {
        ScreenTerminal terminal = new ScreenTerminal(80, 60);
        SessionRenderer renderer = renderer(new Screen(
                text -> terminal.write(text.toString().replace("\n", "\r\n")), new Display(80, 60, true, true, true)));

        play(renderer);

        Golden.check("turn-80-rewritten.txt", Shown.on(terminal));
    }

    @Test
    void toolCallsSideBySideKeepTheirLines() throws Exception {
        ScreenTerminal terminal = new ScreenTerminal(80, 24);
        SessionRenderer renderer = renderer(new Screen(
                text -> terminal.write(text.toString().replace("\n", "\r\n")), new Display(80, 24, false, true, true)));

        try (PlayedSession session = new PlayedSession(renderer).opened()) {
            session.prompts("Go!");
            session.update(call("1", "First", ToolCallStatus.IN_PROGRESS));
            session.update(call("2", "Second", ToolCallStatus.IN_PROGRESS));

            assertThat(Shown.on(terminal)).isEqualTo("▸ First  read\n▸ Second  read\n");

            session.update(call("2", "Second", ToolCallStatus.COMPLETED));
            session.update(call("1", "First", ToolCallStatus.FAILED));
            session.ends(StopReason.END_TURN);
        }

        assertThat(Shown.on(terminal))
                .isEqualTo("✓ Second  read\n✗ First  read\n\n! The agent ended its turn without a word.\n");
    }

    @Test
    void workForOpenToolCallsDoesNotGrowWithTheirNumber() throws Exception {
        AtomicInteger looked = new AtomicInteger();
        List<TerminalText> shown = new ArrayList<>();
        ToolCallText text = new ToolCallText(
                CWD,
                id -> {
                    looked.incrementAndGet();
                    return "output";
                },
                BinaryContent.described(),
                "");
        for (boolean rewrites : List.of(false, true)) {
            SessionRenderer renderer = new SessionRenderer(
                    new Screen(shown::add, new Display(80, 24, false, rewrites, true)), new ToolCallsText(text), false);

            try (PlayedSession session = new PlayedSession(renderer).opened()) {
                session.prompts("Go!");
                for (int i = 0; i < 2000; i++) {
                    session.update(new Call("c" + i, "Call " + i)
                            .status(ToolCallStatus.IN_PROGRESS)
                            .content(ToolCallContent.terminal(TerminalId.of("t" + i)))
                            .update());
                }
            }

            assertThat(looked.getAndSet(0)).isLessThanOrEqualTo(rewrites ? 2000 * 24 : 0);
        }
        assertThat(shown.getLast().toString()).contains("… and 1989 before\n", "▸ Call 1999\n  │ output\n");
    }

    @Test
    void aRunningTerminalShowsItsLastLines() throws Exception {
        ScreenTerminal terminal = new ScreenTerminal(80, 24);
        StringBuilder output = new StringBuilder("1\n2\n3\n4\n");
        ToolCallText text = new ToolCallText(CWD, id -> output.toString(), BinaryContent.described(), "");
        SessionRenderer renderer = new SessionRenderer(
                new Screen(
                        out -> terminal.write(out.toString().replace("\n", "\r\n")),
                        new Display(80, 24, false, true, true)),
                new ToolCallsText(text),
                false);

        try (PlayedSession session = new PlayedSession(renderer).opened()) {
            session.prompts("Go!");
            session.update(new Call("1", "Count")
                    .status(ToolCallStatus.IN_PROGRESS)
                    .content(ToolCallContent.terminal(TerminalId.of("t1")))
                    .update());
            output.append("5\n6\n");
            renderer.refresh(List.of());
        }

        assertThat(Shown.on(terminal))
                .startsWith("▸ Count\n  │ 2\n  │ 3\n  │ 4\n  │ 5\n  │ 6\n")
                .endsWith(" s · Ctrl-C cancels\n");
    }

    @Test
    void anUpdateAfterTheEndOfAToolCallIsNotShownAgain() throws Exception {
        StringBuilder out = new StringBuilder();
        SessionRenderer renderer = renderer(new Screen(out::append, new Display(80, 24, false, false, true)));

        try (PlayedSession session = new PlayedSession(renderer).opened()) {
            session.prompts("Go!");
            session.update(call("1", "First", ToolCallStatus.COMPLETED));
            session.update(call("1", "First", ToolCallStatus.COMPLETED));
        }

        assertThat(out.toString()).isEqualTo("✓ First  read\n");
    }

    @Test
    void howATurnEndedIsTold() throws Exception {
        assertThat(stopped(StopReason.END_TURN)).isEqualTo("! The agent ended its turn without a word.\n");
        assertThat(stopped(StopReason.MAX_TOKENS)).isEqualTo("! Stopped: the limit of tokens is reached.\n");
        assertThat(stopped(StopReason.REFUSAL)).isEqualTo("""
                        ! The agent refused. It has forgotten your message and what followed it: they
                          are no part of the conversation any more.
                        """);
        assertThat(stopped(StopReason.of("new\u001b[2J"))).isEqualTo("! Stopped: new␛[2J.\n");
    }

    @Test
    @Tag("SEC-07")
    void controlCharactersOfTheAgentAreNeverWritten() throws Exception {
        StringBuilder out = new StringBuilder();
        SessionRenderer renderer = renderer(new Screen(out::append, new Display(80, 24, false, false, true)));
        String evil = "a\u001b[2J\u001b]52;c;aGk=\u0007\r\u009b1A\u202eb";

        try (PlayedSession session = new PlayedSession(renderer).loaded(user(ContentBlock.text(evil)))) {
            session.prompts("Go!");
            session.update(says(ContentBlock.text(evil)));
            session.update(thinks(ContentBlock.text(evil)));
            session.update(says(ContentBlock.resourceLink(evil, evil)));
            session.update(SessionUpdate.Plan.of(
                    List.of(PlanEntry.of(evil, PlanEntryPriority.HIGH, PlanEntryStatus.PENDING))));
            session.update(
                    Notice.builder(NoticeSeverity.ERROR, evil).description(evil).build());
            session.update(new Call("1", evil)
                    .status(ToolCallStatus.COMPLETED)
                    .kind(ToolKind.of(evil))
                    .location(evil, 1)
                    .content(ToolCallContent.text(evil))
                    .content(ToolCallContent.diff(evil, evil, evil + evil))
                    .content(ToolCallContent.terminal(TerminalId.of("t1")))
                    .update());
            session.ends(StopReason.of(evil));
        }

        assertThat(out.toString().codePoints())
                .noneMatch(c -> (c < ' ' && c != '\n') || (c >= 0x7f && c < 0xa0) || c == 0x202e);
    }

    @Test
    void changesOfACallThatFailedAreNamedAndNotShownAsMade() throws Exception {
        StringBuilder out = new StringBuilder();
        SessionRenderer renderer = renderer(new Screen(out::append, new Display(80, 24, false, false, true)));

        try (PlayedSession session = new PlayedSession(renderer).opened()) {
            session.update(new Call("1", "Edit")
                    .status(ToolCallStatus.FAILED)
                    .content(ToolCallContent.diff("/home/ada/shop/a.txt", "a\n", "b\n"))
                    .content(ToolCallContent.text("the disk is full"))
                    .update());
        }

        assertThat(out).hasToString("✗ Edit\n  a.txt  proposed, +1 -1\n  │ the disk is full\n");
    }

    @Test
    void changesThatWereMadeAfterAQuestionAreNamedAndNotShownAgain() {
        StringBuilder out = new StringBuilder();
        ToolCallsText calls = new ToolCallsText(new ToolCallText(CWD, id -> null, BinaryContent.described(), ""));
        Screen screen = new Screen(out::append, new Display(80, 24, false, false, true));
        ToolCallContent first = ToolCallContent.diff("/home/ada/shop/a.txt", "a\n", "b\n");
        ToolCallContent second = ToolCallContent.diff("/home/ada/shop/b.txt", "a\n", "b\n");

        calls.question(new Call("1", "Edit").content(first).content(second).view(), screen.display());
        calls.show(
                new Call("1", "Edit (1 failed)")
                        .status(ToolCallStatus.COMPLETED)
                        .content(first)
                        .view(),
                screen);

        assertThat(out).hasToString("✓ Edit (1 failed)\n  a.txt  +1 -1\n");
    }

    @Test
    void aSessionThatIsLoadedIsShownWithWhatTheUserSaid() throws Exception {
        StringBuilder out = new StringBuilder();
        SessionRenderer renderer = renderer(new Screen(out::append, new Display(80, 24, false, false, true)));

        try (PlayedSession session = new PlayedSession(renderer)
                .loaded(
                        user(ContentBlock.text("Where is\nit ")),
                        user(ContentBlock.text("documented?")),
                        says(ContentBlock.text("In ")),
                        says(ContentBlock.text("`README.md`.")),
                        call("1", "Look", ToolCallStatus.COMPLETED))) {
            assertThat(out).hasToString("› Where is\n  it documented?\n\nIn README.md.\n\n✓ Look  read\n");

            out.setLength(0);
            session.prompts("Thanks");
            session.update(says(ContentBlock.text("Welcome.")));
            session.ends(StopReason.END_TURN);

            assertThat(out).hasToString("Welcome.\n");
        }
    }

    @Test
    void aPromptThatTheAgentRepeatsIsNotShownAgain() throws Exception {
        StringBuilder out = new StringBuilder();
        SessionRenderer renderer = renderer(new Screen(out::append, new Display(80, 24, false, false, true)));

        try (PlayedSession session = new PlayedSession(renderer).opened()) {
            session.prompts("Where is it documented?");
            session.update(user(ContentBlock.text("Where is it ")));
            session.update(user(ContentBlock.text("documented?")));
            session.update(says(ContentBlock.text("Nowhere.")));
            session.update(user(ContentBlock.text("Then write it!")));
            session.ends(StopReason.END_TURN);
        }

        assertThat(out).hasToString("Nowhere.\n\n› Then write it!\n");
    }

    @Test
    void aMessageThatIsReplacedIsRewrittenWhereItStandsAndElseShownBelow() throws Exception {
        ScreenTerminal terminal = new ScreenTerminal(80, 24);
        SessionRenderer rewriting = renderer(new Screen(
                text -> terminal.write(text.toString().replace("\n", "\r\n")), new Display(80, 24, false, true, true)));
        StringBuilder out = new StringBuilder();
        SessionRenderer printing = renderer(new Screen(out::append, new Display(80, 24, false, false, true)));

        Entry.Message other = said("It is 4.");
        for (SessionRenderer renderer : List.of(rewriting, printing)) {
            try (PlayedSession session = new PlayedSession(renderer).opened()) {
                session.prompts("What is 2 + 2?");
                session.update(says(ContentBlock.text("It is 5.")));
                renderer.draws(new Timeline.Changed(other));
                session.update(call("1", "Check", ToolCallStatus.COMPLETED));
                renderer.draws(new Timeline.Changed(other));
                session.ends(StopReason.END_TURN);
            }
        }

        String shown = "It is 4.\n\n✓ Check  read\n\n! Changed to:\n\nIt is 4.\n";
        assertThat(Shown.on(terminal)).isEqualTo(shown);
        assertThat(out).hasToString(shown);
    }

    /** Returns a message with the number that the first answer has. */
    private static Entry.Message said(String text) throws Exception {
        SessionRenderer renderer = renderer(new Screen(any -> {}, new Display(80, 24, false, false, true)));
        try (PlayedSession session = new PlayedSession(renderer)) {
            return session.loadedUndrawn(user(ContentBlock.text("?")), says(ContentBlock.text(text)))
                    .view()
                    .messages()
                    .getLast();
        }
    }

    @Test
    void aToolCallIsCancelledWithItsTurnUnlessTheAgentHasCompletedIt() throws Exception {
        StringBuilder out = new StringBuilder();
        SessionRenderer renderer = renderer(new Screen(out::append, new Display(80, 24, false, false, true)));

        try (PlayedSession session = new PlayedSession(renderer).opened()) {
            session.prompts("Go!");
            session.update(call("1", "First", ToolCallStatus.IN_PROGRESS));
            session.update(call("2", "Second", ToolCallStatus.IN_PROGRESS));
            session.cancels();
            session.update(call("1", "First", ToolCallStatus.FAILED));
            session.update(call("2", "Second", ToolCallStatus.COMPLETED));
            session.ends(StopReason.CANCELLED);
        }

        assertThat(out).hasToString("""
                ▸ First  read
                ▸ Second  read
                ✗ First  read  cancelled
                ✗ Second  read  cancelled
                ✓ Second  read

                ! Cancelled.
                """);
    }

    private static String stopped(StopReason reason) throws Exception {
        StringBuilder out = new StringBuilder();
        SessionRenderer renderer = renderer(new Screen(out::append, new Display(80, 24, false, false, true)));
        try (PlayedSession session = new PlayedSession(renderer).opened()) {
            session.prompts("Go!");
            session.ends(reason);
        }
        return out.toString();
    }

    private static void play(SessionRenderer renderer) throws Exception {
        try (PlayedSession session = new PlayedSession(renderer).opened()) {
            session.prompts("Where are retries?");
            session.update(thinks(ContentBlock.text("The user wants to know where retries happen. ")));
            session.update(thinks(ContentBlock.text("I shall search for the word first.\nThen read.")));
            session.update(plan(PlanEntryStatus.IN_PROGRESS, PlanEntryStatus.PENDING));
            session.update(
                    new Call("1", "Search for \"retry\"").kind(ToolKind.SEARCH).update());
            session.update(new Call("1", "Search for \"retry\"")
                    .kind(ToolKind.SEARCH)
                    .status(ToolCallStatus.IN_PROGRESS)
                    .update());
            session.update(new Call("1", "Search for \"retry\"")
                    .kind(ToolKind.SEARCH)
                    .status(ToolCallStatus.COMPLETED)
                    .location("/home/ada/shop/src/main/java/shop/Retry.java", 10)
                    .location("/home/ada/shop/src/main/java/shop/HttpClient.java", 200)
                    .location("/etc/hosts", null)
                    .location("/home/ada/shop/README.md", 3)
                    .content(ToolCallContent.text("12 lines in 4 files"))
                    .update());
            session.update(plan(PlanEntryStatus.COMPLETED, PlanEntryStatus.IN_PROGRESS));
            message(
                    session,
                    "The retry logic is in `Retry.java`:\n\n- it counts\n- it waits\n\nI shall make the wait ");
            message(session, "shorter, and run the tests afterwards to see that nothing depends on the old pause.\n");
            session.update(new Call("2", "Edit Retry.java")
                    .kind(ToolKind.EDIT)
                    .status(ToolCallStatus.COMPLETED)
                    .content(ToolCallContent.diff(
                            "/home/ada/shop/src/main/java/shop/Retry.java",
                            "class Retry {\n    int pause = 30;\n}\n",
                            "class Retry {\n    int pause = 10;\n}\n"))
                    .update());
            session.update(new Call(
                            "3",
                            "mvn -q test -pl shop -Dtest=RetryTest,HttpClientTest,SchedulerTest,QueueTest,TimerTest")
                    .kind(ToolKind.EXECUTE)
                    .status(ToolCallStatus.FAILED)
                    .content(ToolCallContent.terminal(TerminalId.of("t1")))
                    .update());
            session.update(Notice.builder(NoticeSeverity.WARNING, "The model is busy")
                    .description("answers may take longer than usual")
                    .build());
            message(session, "One test depends on the old pause.");
            session.update(says(ContentBlock.image(new byte[3000], "image/png")));
            session.ends(StopReason.MAX_TOKENS);
        }
    }

    private static void message(PlayedSession session, String text) throws Exception {
        session.update(says(ContentBlock.text(text)));
    }

    private static SessionUpdate plan(PlanEntryStatus first, PlanEntryStatus second) {
        return SessionUpdate.Plan.of(List.of(
                PlanEntry.of("Find the retry logic", PlanEntryPriority.HIGH, first),
                PlanEntry.of(
                        "Shorten the pause and see that everything that depends on it still works as it did",
                        PlanEntryPriority.LOW,
                        second)));
    }

    private static SessionRenderer renderer(Screen screen) {
        StringBuilder output = new StringBuilder();
        for (int i = 1; i <= 40; i++) {
            output.append("line ").append(i).append(" of the test's output\n");
        }
        ToolCallText text = new ToolCallText(
                CWD, id -> id.value().equals("t1") ? output.toString() : null, BinaryContent.described(), "");
        return new SessionRenderer(screen, new ToolCallsText(text), false);
    }

    private static SessionUpdate call(String id, String title, ToolCallStatus status) {
        return new Call(id, title).kind(ToolKind.READ).status(status).update();
    }

    private static SessionUpdate says(ContentBlock content) {
        return SessionUpdate.AgentMessageChunk.of(content, null);
    }

    private static SessionUpdate thinks(ContentBlock content) {
        return SessionUpdate.AgentThoughtChunk.of(content, null);
    }

    private static SessionUpdate user(ContentBlock content) {
        return SessionUpdate.UserMessageChunk.of(content, null);
    }

    /** Collects a tool call. */
    private static final class Call {
        private final String id;
        private final String title;
        private ToolKind kind = ToolKind.OTHER;
        private ToolCallStatus status = ToolCallStatus.PENDING;
        private final List<ToolCallContent> content = new ArrayList<>();
        private final List<ToolCallLocation> locations = new ArrayList<>();

        Call(String id, String title) {
            this.id = id;
            this.title = title;
        }

        Call kind(ToolKind value) {
            kind = value;
            return this;
        }

        Call status(ToolCallStatus value) {
            status = value;
            return this;
        }

        Call content(ToolCallContent value) {
            content.add(value);
            return this;
        }

        Call location(String path, @org.jspecify.annotations.Nullable Integer line) {
            locations.add(line == null ? ToolCallLocation.of(path) : ToolCallLocation.of(path, line));
            return this;
        }

        ToolCallUpdate update() {
            return ToolCallUpdate.builder(ToolCallId.of(id))
                    .title(title)
                    .kind(kind)
                    .status(status)
                    .content(content)
                    .locations(locations)
                    .build();
        }

        Entry.ToolCall view() {
            return Entry.ToolCall.of(update());
        }
    }
}
