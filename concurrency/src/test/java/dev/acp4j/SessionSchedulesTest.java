package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.Schedule;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.Version;
import dev.acp4j.trace.TraceEvent;
import dev.acp4j.trace.Tracer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A turn has one end, its reader always comes to it, and a cancellation hits the turn that is meant. */
@Timeout(3600)
class SessionSchedulesTest {
    private static final Path HERE = Path.of("").toAbsolutePath();

    private interface Play {
        void play(Schedule schedule, ConnectedAgent agent, Session session) throws Exception;
    }

    private static void explore(Version version, Agent.PromptHandler handler, Play play) {
        Schedule.explore(schedule -> {
            MemoryTransport.Pair pair = MemoryTransport.pair();
            ConnectedClient client = Agent.builder("a", "1")
                    .protocol(version)
                    .onPrompt(handler)
                    .onProblem(problem -> {})
                    .time(schedule)
                    .build()
                    .connect(pair.left());
            ConnectedAgent agent = Client.builder("c", "1")
                    .protocol(version)
                    .onProblem(problem -> {})
                    .time(schedule)
                    .connect(pair.right());

            play.play(schedule, agent, agent.newSession(HERE));

            agent.close();
            client.awaitClosed();
        });
    }

    private static String read(Iterator<SessionEvent> events) {
        StringBuilder text = new StringBuilder();
        try {
            while (events.hasNext()) {
                if (events.next() instanceof SessionEvent.Message message) {
                    text.append(message.text());
                }
            }
        } catch (RpcException e) {
            text.append('!');
        }
        return text.toString();
    }

    private static String stop(Turn turn) throws InterruptedException {
        try {
            return turn.result().stopReason().value();
        } catch (RpcException e) {
            return e.getClass().getSimpleName();
        }
    }

    private static void talk(AgentTurn turn) throws InterruptedException {
        turn.message("a");
        turn.message("b");
        turn.message("c");
    }

    @ParameterizedTest
    @EnumSource
    void aReaderMeetsTheEndOfItsTurnAndMissesNothing(Version version) {
        explore(version, SessionSchedulesTest::talk, (schedule, agent, session) -> {
            List<String> read = Collections.synchronizedList(new ArrayList<>());
            Turn turn = session.prompt("go");
            Iterator<SessionEvent> events = turn.iterator();

            schedule.begin("reader", () -> read.add(read(events))).join();

            assertThat(read).containsExactly("abc");
            assertThat(stop(turn)).isEqualTo("end_turn");
            assertThat(schedule.millis()).isZero();
        });
    }

    @ParameterizedTest
    @EnumSource
    void aReaderMeetsACancellationAndTheEndOfTheConnection(Version version) {
        explore(version, SessionSchedulesTest::talk, (schedule, agent, session) -> {
            List<String> read = Collections.synchronizedList(new ArrayList<>());
            List<String> stops = Collections.synchronizedList(new ArrayList<>());
            Turn turn = session.prompt("go");
            Iterator<SessionEvent> events = turn.iterator();

            Schedule.join(
                    schedule.begin("reader", () -> read.add(read(events))),
                    schedule.begin("waiter", () -> stops.add(stop(turn))),
                    schedule.begin("canceller", turn::cancel),
                    schedule.begin("closer", agent::close));

            assertThat(read).singleElement().asString().matches("a?b?c?!?");
            assertThat(stops)
                    .singleElement()
                    .asString()
                    .isIn("end_turn", "cancelled", "ConnectionClosedException", "LaunchException");
            assertThat(turn.isDone()).isTrue();
        });
    }

    @ParameterizedTest
    @EnumSource
    void aTurnIsClosedWhileItIsRead(Version version) {
        explore(version, SessionSchedulesTest::talk, (schedule, agent, session) -> {
            List<String> read = Collections.synchronizedList(new ArrayList<>());
            Turn turn = session.prompt("go");
            Iterator<SessionEvent> events = turn.iterator();

            Schedule.join(
                    schedule.begin("reader", () -> read.add(read(events))), schedule.begin("closer", turn::close));

            assertThat(read).hasSize(1);
            assertThat(stop(turn)).isIn("end_turn", "cancelled");
            assertThat(session.prompt("again").text()).isEqualTo("abc");
        });
    }

    @ParameterizedTest
    @EnumSource
    void nothingOfASessionIsSentAfterTheAnswerThatClosesIt(Version version) {
        Schedule.explore(schedule -> {
            List<TraceEvent> trace = Collections.synchronizedList(new ArrayList<>());
            MemoryTransport.Pair pair = MemoryTransport.pair();
            ConnectedClient client = Agent.builder("a", "1")
                    .protocol(version)
                    .onPrompt(turn -> {})
                    .onCloseSession(closed -> {})
                    .time(schedule)
                    .trace(Tracer.of(trace::add))
                    .build()
                    .connect(pair.left());
            ConnectedAgent agent = Client.builder("c", "1")
                    .protocol(version)
                    .time(schedule)
                    .onProblem(problem -> {})
                    .connect(pair.right());
            Session session = agent.newSession(HERE);
            AgentSession served = client.session(session.id()).orElseThrow();

            Schedule.join(
                    schedule.begin("talker", () -> talkUntilClosed(served)), schedule.begin("closer", session::close));
            agent.close();
            client.awaitClosed();

            assertThat(trace)
                    .filteredOn(
                            event -> "session/close".equals(event.method()) || "session/update".equals(event.method()))
                    .last()
                    .extracting(TraceEvent::type)
                    .isEqualTo(TraceEvent.Type.RESULT);
        });
    }

    private static void talkUntilClosed(AgentSession session) throws InterruptedException {
        try {
            for (int i = 0; i < 5; i++) {
                session.message("x");
            }
        } catch (IllegalStateException e) {
            assertThat(e).hasMessageContaining("is closed");
        }
    }

    @ParameterizedTest
    @EnumSource
    void cancellingOneTurnNeverHitsTheNext(Version version) {
        explore(version, SessionSchedulesTest::talk, (schedule, agent, session) -> {
            List<String> stops = Collections.synchronizedList(new ArrayList<>());
            Turn one = session.prompt("one");

            Schedule.join(
                    schedule.begin("canceller", one::cancel),
                    schedule.begin("prompter", () -> stops.add(stop(session.prompt("two")))));

            assertThat(stops).containsExactly(StopReason.END_TURN.value());
            assertThat(stop(one)).isIn("end_turn", "cancelled");
        });
    }
}
