package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Problem;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.TerminalExitStatus;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutput;
import dev.acp4j.schema.TerminalOutputChunk;
import dev.acp4j.schema.TerminalUpdate;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Version;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What clients of each version see of commands that an agent runs by itself. */
@Timeout(20)
class TerminalsOfBothVersionsTest {
    private static final Path SRC = Path.of("/src");
    private static final TerminalId BUILD = TerminalId.of("build");

    @RegisterExtension
    private final Joined joined = new Joined();

    /** Runs a command whose output is split in the middle of letters. */
    static Agent.Builder running() {
        return Joined.agent(turn -> {
            byte[] euro = "€".getBytes(StandardCharsets.UTF_8);
            try (ToolCallHandle call = turn.toolCall("make", ToolKind.EXECUTE).start();
                    AgentTerminal terminal = call.openTerminal("make -j", SRC)) {
                call.text("Below");
                terminal.print("Costs 5 ");
                terminal.print(new byte[] {euro[0]});
                terminal.print(new byte[] {euro[1], euro[2]});
                terminal.print("\ud83d");
                terminal.print("\ude00");
                terminal.exited(2);
                call.fail("It failed");
            }
        });
    }

    private static Entry.Terminal terminal(Session session) {
        List<Entry.Terminal> all = session.view().timeline().entries(Entry.Terminal.class);
        assertThat(all).hasSize(1);
        return all.getFirst();
    }

    private static List<ToolCallContent> content(Session session) {
        assertThat(session.view().toolCalls()).hasSize(1);
        return session.view().toolCalls().getFirst().content();
    }

    private static String text(ToolCallContent content) {
        return String.valueOf(content);
    }

    private static void assertIsShown(Session session) throws Exception {
        TurnResult unused = session.prompt("Go").result();

        Entry.Terminal terminal = terminal(session);
        assertThat(terminal.output()).isEqualTo("Costs 5 €😀");
        assertThat(terminal.cwd()).isEqualTo("/src");
        assertThat(terminal.exitStatus()).isNotNull().hasFieldOrPropertyWithValue("exitCode", 2L);
        assertThat(content(session)).first().isEqualTo(ToolCallContent.terminal(terminal.id()));
        assertThat(content(session)).hasSize(3);
    }

    @ParameterizedTest
    @EnumSource
    void commandsOfTheAgentAreShownLive(Version version) throws Exception {
        Client.Builder client = Joined.client().agentTerminals(true).protocol(version);

        assertIsShown(joined.join(running().protocol(version), client).newSession(Joined.HERE));
    }

    @ParameterizedTest
    @EnumSource
    void aTranslatedClientThatShowsTerminalsSeesTheCommand(Version version) throws Exception {
        Client.Builder client = Joined.client().agentTerminals(true);

        assertIsShown(joined.translate(running(), client, version).newSession(Joined.HERE));
    }

    @Test
    void eachClientOfASessionSeesTheCommandInItsOwnWay() throws Exception {
        Agent agent = running()
                .protocol(Version.V1, Version.V2)
                .sessionIds(() -> dev.acp4j.schema.SessionId.of("s"))
                .onResumeSession(session -> {})
                .build();
        Session text = joined.join(agent, Joined.client()).newSession(Joined.HERE);
        Session dialect =
                joined.join(agent, Joined.client().agentTerminals(true)).resumeSession(text.id(), Joined.HERE);
        Session second =
                joined.join(agent, Joined.client().protocol(Version.V2)).resumeSession(text.id(), Joined.HERE);

        TurnResult unused = text.prompt("Go").result();

        for (Session other : List.of(dialect, second)) {
            Timeline timeline = other.view().timeline();
            long revision = timeline.revision();
            while (timeline.entries(Entry.Terminal.class).isEmpty()
                    || terminal(other).exitStatus() == null) {
                assertThat(timeline.awaitChange(revision, Duration.ofSeconds(10)))
                        .isTrue();
                revision = timeline.revision();
            }
            assertThat(terminal(other).output()).isEqualTo("Costs 5 €😀");
        }
        assertThat(terminal(second).command()).isEqualTo("make -j");
        assertThat(text(content(text).getFirst())).contains("Costs 5 €😀");
    }

    @Test
    void outputThatIsReplacedIsReplacedInTheDialectOfVersionOne() throws Exception {
        List<String> printed = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent connected = joined.translate(
                Joined.agent(turn -> {
                    turn.update(TerminalUpdate.builder(BUILD).cwd("/src").build());
                    turn.update(TerminalOutputChunk.of(BUILD, new byte[] {'o', 'n'}));
                    turn.update(ToolCallUpdate.builder(ToolCallId.of("c"))
                            .title("make")
                            .content(List.of(ToolCallContent.terminal(BUILD)))
                            .build());
                    turn.update(
                            TerminalUpdate.builder(BUILD).output(output("one")).build());
                    turn.update(
                            TerminalUpdate.builder(BUILD).output(output("two")).build());
                    turn.update(TerminalUpdate.builder(BUILD)
                            .exitStatus(TerminalExitStatus.killed("SIGTERM"))
                            .build());
                }),
                Joined.client().agentTerminals(true).onEvent((session, event) -> {
                    if (event instanceof SessionEvent.TerminalChanged changed) {
                        printed.add(changed.output());
                    }
                }),
                Version.V1);
        Session session = connected.newSession(Joined.HERE);

        TurnResult unused = session.prompt("Go").result();

        assertThat(printed).containsExactly("", "on", "e", "\u001b[2J\u001b[3J\u001b[Htwo", "");
        assertThat(terminal(session).exitStatus()).isEqualTo(TerminalExitStatus.killed("SIGTERM"));
        assertThat(session.view().toolCalls().getFirst().title()).isEqualTo("make");
    }

    private static TerminalOutput output(String text) {
        return TerminalOutput.of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Some agents of version 1 say all in the {@code _meta} of tool calls, and nothing in their content. */
    @Test
    void theDialectOfVersionOneIsATerminalOfVersionTwo() throws Exception {
        List<SessionUpdate> raw = new CopyOnWriteArrayList<>();
        ConnectedAgent connected = joined.translate(
                Joined.agent(turn -> {
                    ToolCallId call = ToolCallId.of("c");
                    turn.update(ToolCall.builder(call, "make").build());
                    turn.update(change(call, "terminal_output_delta", "{\"terminal_id\":\"c\",\"data\":\"one\"}"));
                    turn.update(change(call, "terminal_output_delta", "{\"terminal_id\":\"c\",\"data\":\" two\"}"));
                    turn.update(change(call, "terminal_exit", "{\"terminal_id\":\"c\",\"exit_code\":3}"));
                }),
                Joined.client().onUpdate((session, update, meta) -> raw.add(update)),
                Version.V2);
        Session session = connected.newSession(Joined.HERE);

        TurnResult unused = session.prompt("Go").result();

        assertThat(terminal(session).output()).isEqualTo("one two");
        assertThat(terminal(session).exitStatus()).isEqualTo(TerminalExitStatus.exited(3));
        assertThat(content(session)).containsExactly(ToolCallContent.terminal(TerminalId.of("c")));
        assertThat(raw).noneSatisfy(update -> assertThat(update.toString()).contains("terminal_exit"));
    }

    private static ToolCallUpdate change(ToolCallId call, String member, String value) {
        return ToolCallUpdate.builder(call)
                .meta(Meta.of(member, RawJson.parse(value)))
                .build();
    }

    @Test
    void aCommandThatRunsOnIsShownAsTextBeforeItsEnd() throws Exception {
        CountDownLatch seen = new CountDownLatch(1);
        ConnectedAgent connected = joined.join(
                Joined.agent(turn -> {
                    try (ToolCallHandle call = turn.toolCall("make", ToolKind.EXECUTE);
                            AgentTerminal terminal = call.openTerminal("make", SRC)) {
                        terminal.print("one ");
                        terminal.print("two");
                        // A client that shows no terminals gets the rest though nothing more is printed.
                        seen.await();
                        terminal.exited(0);
                    }
                }),
                Joined.client().onEvent((session, event) -> {
                    if (event instanceof SessionEvent.ToolCallChanged changed
                            && changed.toString().contains("one two")) {
                        seen.countDown();
                    }
                }));

        TurnResult unused = connected.newSession(Joined.HERE).prompt("Go").result();

        assertThat(seen.getCount()).isZero();
    }

    @Test
    void aClientEndsTheCommandAlone() throws Exception {
        CountDownLatch offered = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        ConnectedAgent connected = joined.join(
                Joined.agent(turn -> {
                            try (ToolCallHandle call = turn.toolCall("make", ToolKind.EXECUTE)
                                            .start();
                                    AgentTerminal terminal = call.openTerminal("make", SRC)) {
                                terminal.size(80, 25).onCancel(ended::countDown);
                                ended.await();
                                terminal.killed("SIGTERM");
                                call.complete();
                            }
                        })
                        .protocol(Version.V2),
                Joined.client().protocol(Version.V2).onEvent((session, event) -> {
                    if (event instanceof SessionEvent.TerminalChanged changed
                            && changed.terminal().isCancellable()) {
                        offered.countDown();
                    }
                }));
        Session session = connected.newSession(Joined.HERE);
        Turn turn = session.prompt("Go");
        offered.await();

        session.cancel(terminal(session).id());

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);

        assertThat(terminal(session).exitStatus()).isEqualTo(TerminalExitStatus.killed("SIGTERM"));
        assertThat(terminal(session).size()).isNotNull().hasFieldOrPropertyWithValue("cols", 80);
        assertThat(session.view().toolCalls().getFirst().isOpen()).isFalse();
    }

    @Test
    void outputThatIsNoBase64IsReportedAndTheRestIsRead() throws Exception {
        BlockingQueue<Problem> problems = new LinkedBlockingQueue<>();
        try (RawAgent agent = new RawAgent(
                Joined.client().protocol(Version.V2).onProblem(problems::add),
                "{\"protocolVersion\":2,\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{\"session\":{}}}")) {
            Session session = agent.open();
            agent.update("terminal_output_chunk", "\"terminalId\":\"t\",\"data\":\"***\"");
            agent.update("terminal_update", "\"terminalId\":\"t\",\"output\":{\"data\":\"***\"}");
            agent.update("terminal_output_chunk", "\"terminalId\":\"t\",\"data\":\"b25l\"");
            agent.settle();

            assertThat(session.view().terminal(TerminalId.of("t")).orElseThrow().output())
                    .isEqualTo("one");
            assertThat(problems.poll(10, TimeUnit.SECONDS))
                    .isNotNull()
                    .satisfies(problem -> assertThat(problem.detail()).contains("base64"));
        }
    }

    @Test
    void aCommandThatRunsIsShownHoweverManyOthersEndMeanwhile() throws Exception {
        ConnectedAgent connected = joined.join(
                Joined.agent(turn -> {
                    try (ToolCallHandle server = turn.toolCall("serve", ToolKind.EXECUTE);
                            AgentTerminal running = server.openTerminal("serve", SRC)) {
                        for (int i = 0; i < 100; i++) {
                            try (ToolCallHandle call = turn.toolCall("make", ToolKind.EXECUTE);
                                    AgentTerminal terminal = call.openTerminal("make", SRC)) {
                                terminal.exited(0);
                                call.complete();
                            }
                        }
                        running.print("served");
                        running.exited(0);
                        server.complete();
                    }
                }),
                Joined.client().agentTerminals(true));
        Session session = connected.newSession(Joined.HERE);

        TurnResult unused = session.prompt("Go").result();

        Entry.Terminal server =
                session.view().timeline().entries(Entry.Terminal.class).getFirst();
        assertThat(server.output()).isEqualTo("served");
        assertThat(server.exitStatus()).isEqualTo(TerminalExitStatus.exited(0));
    }
}
