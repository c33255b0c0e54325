package dev.acp4j.http;

import static dev.acp4j.http.EndpointFixture.call;
import static dev.acp4j.http.EndpointFixture.update;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.tap.Poll;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams that go on where they were cut. */
class DurableStreamsTest {
    private static final String END = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"stopReason\":\"end_turn\"}}";

    private final EndpointFixture server = new EndpointFixture();

    @Test
    @Tag("DUR-01")
    @Tag("DUR-02")
    void everyMessageHasACursorAndCommentsHaveNone() throws Exception {
        var connection = server.connect();
        FakeExchange session = connection.session("s");
        connection.post(call(1, "session/prompt", "s"));
        connection.says(update("s", "one"));
        server.pass(Duration.ofSeconds(15));
        connection.says("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"no\"}}");
        connection.post(call(2, "session/set_mode", "s"));
        connection.says("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":null}");

        List<String> ids = session.ids();
        assertThat(ids).hasSize(3).doesNotHaveDuplicates().allMatch(id -> id.matches("[0-9a-v]+-[0-9a-v]+"));
        assertThat(ids)
                .extracting(id -> id.substring(0, id.indexOf('-')))
                .containsOnly(ids.get(0).split("-", 2)[0]);
        assertThat(ids)
                .extracting(id -> Objects.requireNonNull(Cursor.parse(id)).number())
                .isSorted();
        assertThat(session.data().get(0)).contains("\"_meta\":{\"acp/cursor\":\"" + ids.get(0) + "\"}");
        assertThat(session.data().get(1)).doesNotContain("acp/cursor");
        assertThat(session.data().get(2)).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":null}");
        assertThat(session.stream.toString()).contains("\n\n:\n\n");
    }

    @Test
    @Tag("DUR-04")
    void resumptionIsAdvertisedForEveryAgentAndItsOwnClaimIsReplaced() throws Exception {
        String claim = EndpointFixture.ANSWER.replace(
                "\"loadSession\":true", "\"transport\":{\"resumable\":{\"retentionMessages\":1},\"x\":2}");
        String second = "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":2,\"capabilities\":{}}}";

        assertThat(server.connect().initialize.text())
                .contains("\"agentCapabilities\":{\"loadSession\":true,\"transport\":{\"resumable\":"
                        + "{\"retentionMessages\":1000,\"retentionSeconds\":300,\"_meta\":{\"retentionBytes\":33554432,"
                        + "\"graceSeconds\":600,\"keepAliveSeconds\":15,");
        assertThat(server.new Connection(claim).initialize.text())
                .contains("\"transport\":{\"x\":2,\"resumable\":{\"retentionMessages\":1000");
        assertThat(server.new Connection(second).initialize.text())
                .contains("\"capabilities\":{\"transport\":{\"resumable\":{\"retentionMessages\":1000");
    }

    @Test
    @Tag("DUR-04")
    void withoutDurabilityNothingIsAdded() throws Exception {
        EndpointFixture plain = new EndpointFixture(Http.on(0).durable(false));
        var connection = plain.connect();
        FakeExchange own = connection.stream("Last-Event-ID", "a-1");
        String message = "{\"jsonrpc\":\"2.0\",\"method\":\"_x/y\",\"params\":{ \"a\" : 1 }}";
        connection.says(message);

        assertThat(connection.initialize.text()).doesNotContain("resumable");
        assertThat(own.stream.toString()).isEqualTo("retry: 1000\n: ok\n\ndata: " + message + "\n\n");
    }

    @Test
    @Tag("DUR-06")
    @Tag("DUR-08")
    void aClientGoesOnBehindItsCursor() throws Exception {
        var connection = server.connect();
        FakeExchange first = connection.session("s");
        for (int i = 0; i < 10; i++) {
            connection.says(update("s", "text " + i));
        }
        first.leave();
        connection.says(update("s", "text 10"));
        FakeExchange second =
                connection.session("s", "Last-Event-ID", first.ids().get(3));
        FakeExchange third =
                connection.session("s", "Last-Event-ID", first.ids().get(3));
        connection.says(update("s", "text 11"));
        FakeExchange last = connection.session("s", "Last-Event-ID", third.ids().get(7));

        assertThat(withoutState(second)).hasSize(7).startsWith(first.data().get(4));
        assertThat(second.ended).isTrue();
        assertThat(withoutState(third))
                .hasSize(8)
                .startsWith(withoutState(second).toArray(new String[0]));
        assertThat(third.ids().subList(0, 7)).isEqualTo(second.ids());
        assertThat(withoutState(last)).isEmpty();
    }

    private static List<String> withoutState(FakeExchange stream) {
        return stream.data().stream()
                .filter(data -> !data.contains("acp/turnState"))
                .toList();
    }

    @Test
    @Tag("DUR-09")
    @Tag("DUR-14")
    void aCursorThatIsNotKnownIsAConflict() throws Exception {
        var connection = server.connect();
        var other = server.connect();
        connection.says(update("s", "one"));
        other.says(update("s", "one"));
        FakeExchange session = connection.session("s");
        FakeExchange foreign = other.session("s");
        String known = session.ids().get(0);
        String epoch = known.substring(0, known.indexOf('-') + 1);

        for (String unknown : new String[] {
            foreign.ids().get(0), epoch + "zz", epoch + "V", epoch, "x", "-1", "0" + known, "a".repeat(65), known + " "
        }) {
            FakeExchange refused = connection.session("s", "Last-Event-ID", unknown);
            assertThat(refused.status()).as(unknown).isEqualTo(409);
            assertThat(refused.text()).contains("cursor_unknown");
        }
        assertThat(connection.stream("Last-Event-ID", known).text()).contains("cursor_unknown");
        assertThat(connection.session("t", "Last-Event-ID", known).text()).contains("cursor_unknown");
        assertThat(session.ended).isFalse();
        assertThat(connection.session("s", "Last-Event-ID", known).status()).isEqualTo(200);
    }

    @Test
    @Tag("DUR-09")
    @Tag("DUR-19")
    void whatWasSentIsKeptForATimeAndWhatWasNotForEver() throws Exception {
        var connection = server.connect();
        FakeExchange first = connection.session("s");
        connection.says(update("s", "one"));
        connection.says(update("s", "two"));
        String cursor = first.ids().get(0);
        connection.stream();
        first.leave();
        connection.says(update("s", "three"));
        server.pass(Duration.ofMinutes(10));
        assertThat(connection.session("s", "Last-Event-ID", cursor).text()).isEmpty();
        connection.session("s", "Last-Event-ID", cursor).leave();
        server.pass(Duration.ofMinutes(11));

        assertThat(connection.session("s", "Last-Event-ID", cursor).text()).contains("cursor_expired");
        var unread = server.connect();
        unread.stream();
        unread.says(update("s", "kept"));
        server.pass(Duration.ofHours(5));
        assertThat(unread.session("s").data()).singleElement().asString().contains("kept");
    }

    @Test
    @Tag("DUR-19")
    void theOldestMessagesGoFirstWhenThereAreTooManyOrTooLargeOnes() throws Exception {
        ServerLimits few = ServerLimits.STANDARD.withRetention(10_000, 5, Duration.ofMinutes(10), 1_000_000);
        var connection = new EndpointFixture(Http.on(0).limits(few)).connect();
        FakeExchange session = connection.session("s");
        for (int i = 0; i < 7; i++) {
            connection.says(update("s", "text " + i));
        }
        assertThat(connection
                        .session("s", "Last-Event-ID", session.ids().get(0))
                        .text())
                .contains("cursor_expired");
        FakeExchange second =
                connection.session("s", "Last-Event-ID", session.ids().get(1));
        assertThat(withoutState(second)).hasSize(5);
        connection.says(update("s", "x".repeat(9_900)));

        assertThat(connection
                        .session("s", "Last-Event-ID", session.ids().get(6))
                        .status())
                .isEqualTo(409);
    }

    @Test
    @Tag("DUR-19")
    void whatAllStreamsKeepIsBounded() throws Exception {
        ServerLimits few = ServerLimits.STANDARD.withRetention(1_000_000, 1000, Duration.ofMinutes(10), 100_000);
        EndpointFixture small = new EndpointFixture(Http.on(0).limits(few));
        var one = small.connect();
        var two = small.connect();
        FakeExchange first = one.session("s");
        FakeExchange second = two.session("s");
        for (int i = 0; i < 20; i++) {
            one.says(update("s", "x".repeat(9_000)));
            two.says(update("s", "x".repeat(9_000)));
        }
        small.pass(Duration.ofSeconds(1));

        assertThat(one.session("s", "Last-Event-ID", first.ids().get(10)).text())
                .contains("cursor_expired");
        assertThat(two.session("s", "Last-Event-ID", second.ids().get(10)).text())
                .contains("cursor_expired");
        assertThat(one.session("s", "Last-Event-ID", first.ids().get(18)).status())
                .isEqualTo(200);
    }

    @Test
    @Tag("DUR-19")
    @Tag("LOD-06")
    void whatAllStreamsKeepIsBoundedBeforeTheClockIsLookedAt() throws Exception {
        ServerLimits few = ServerLimits.STANDARD.withRetention(1_000_000, 1000, Duration.ofMinutes(10), 100_000);
        EndpointFixture small = new EndpointFixture(Http.on(0).limits(few));
        var connection = small.connect();
        FakeExchange session = connection.session("s");
        for (int i = 0; i < 20; i++) {
            connection.says(update("s", "x".repeat(9_000)));
        }

        assertThat(connection
                        .session("s", "Last-Event-ID", session.ids().get(5))
                        .text())
                .contains("cursor_expired");
        assertThat(connection
                        .session("s", "Last-Event-ID", session.ids().get(12))
                        .status())
                .isEqualTo(200);
    }

    @Test
    @Tag("DUR-19")
    void ofAllStreamsWhatIsOldestGoesFirst() throws Exception {
        ServerLimits few = ServerLimits.STANDARD.withRetention(1_000_000, 1000, Duration.ofMinutes(10), 100_000);
        EndpointFixture small = new EndpointFixture(Http.on(0).limits(few));
        var old = small.connect();
        var young = small.connect();
        FakeExchange first = old.session("s");
        FakeExchange second = young.session("s");
        for (int i = 0; i < 5; i++) {
            old.says(update("s", "x".repeat(9_000)));
        }
        small.pass(Duration.ofSeconds(1));
        for (int i = 0; i < 9; i++) {
            young.says(update("s", "x".repeat(9_000)));
        }
        small.pass(Duration.ofSeconds(1));

        // 14 are more than fit; the 3 or 4 that go are all of the stream that was quiet.
        assertThat(old.session("s", "Last-Event-ID", first.ids().get(0)).text()).contains("cursor_expired");
        assertThat(old.session("s", "Last-Event-ID", first.ids().get(3)).status())
                .isEqualTo(200);
        assertThat(withoutState(young.session("s", "Last-Event-ID", second.ids().get(0))))
                .hasSize(8);
    }

    @Test
    @Tag("DUR-20")
    void theFloorThatIsAdvertisedHolds() throws Exception {
        var connection = server.connect();
        FakeExchange first = connection.session("s");
        int beside = update("s", "").length();
        String text = "x".repeat(32 * 1024 - beside);
        connection.says(update("s", "begin"));
        String cursor = first.ids().get(0);
        first.leave();
        FakeExchange reader = connection.session("s", "Last-Event-ID", cursor);
        for (int i = 0; i < 1_000; i++) {
            connection.says(update("s", text));
            // Only the count matters here.
            reader.stream.setLength(0);
        }
        reader.leave();
        for (int i = 0; i < 300; i++) {
            server.pass(Duration.ofSeconds(1));
        }
        FakeExchange again = connection.session("s", "Last-Event-ID", cursor);

        assertThat(again.status()).isEqualTo(200);
        assertThat(again.stream.toString().split("\ndata: ")).hasSize(1_000 + 2);
    }

    @Test
    @Tag("DUR-05")
    void whatAClientProcessesIsWhatWasProduced() throws Exception {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            var connection = server.connect();
            connection.open("s");
            FakeExchange reader = connection.session("s");
            List<String> produced = new ArrayList<>();
            List<String> processed = new ArrayList<>();
            String cursor = reader.places().get(0);
            int seen = 0;
            for (int step = 0; step < 60; step++) {
                switch (random.nextInt(5)) {
                    case 0, 1 -> {
                        produced.add("<" + step + ">");
                        connection.says(update("s", "<" + step + ">"));
                    }
                    case 2 -> {
                        // A cut: what the client had not read is lost on the way.
                        int end = seen + random.nextInt(texts(reader).size() - seen + 1);
                        cursor = take(reader, processed, seen, end, cursor);
                        if (random.nextBoolean()) {
                            reader.leave();
                        }
                        reader = connection.session("s", "Last-Event-ID", cursor);
                        seen = 0;
                        assertThat(reader.status()).isEqualTo(200);
                    }
                    case 3 -> reader.blocked = true;
                    default -> {
                        reader.unblock();
                        int all = texts(reader).size();
                        cursor = take(reader, processed, seen, all, cursor);
                        seen = all;
                    }
                }
            }
            reader.unblock();
            cursor = take(reader, processed, seen, texts(reader).size(), cursor);
            assertThat(processed).as("seed " + seed).isEqualTo(produced);
            connection.delete();
            connection.agent.close();
        }
    }

    @Test
    @Tag("DUR-06")
    void aClientThatIsCutBeforeItsFirstMessageGoesOnThere() throws Exception {
        var connection = server.connect();
        connection.open("s");
        FakeExchange first = connection.session("s");
        connection.says(update("s", "lost on the way"));
        FakeExchange second =
                connection.session("s", "Last-Event-ID", first.places().get(0));
        second.leave();
        FakeExchange third = connection.session("s");
        connection.says(update("s", "lost, too"));

        assertThat(first.stream.toString())
                .startsWith("retry: 1000\n: ok\n\nid: " + first.places().get(0) + "\n\nid: ");
        assertThat(withoutState(second)).singleElement().asString().contains("lost on the way");
        assertThat(third.places()).containsExactly(first.ids().get(0));
        assertThat(withoutState(
                        connection.session("s", "Last-Event-ID", third.places().get(0))))
                .singleElement()
                .asString()
                .contains("lost, too");
    }

    @Test
    @Tag("DUR-06")
    void aClientThatGotNotEvenItsFirstPositionGoesOnAtTheBeginning() throws Exception {
        var connection = server.connect();
        FakeExchange none = connection.session("s", "Last-Event-ID", "0");
        connection.says(update("s", "one"));
        connection.says(update("s", "two"));
        FakeExchange again = connection.session("s", "Last-Event-ID", "0");
        server.pass(Duration.ofMinutes(11));

        assertThat(connection.initialize.text()).contains("\"acp4j/beginning\":\"0\"");
        assertThat(none.ended).isTrue();
        assertThat(again.places()).isEqualTo(none.places());
        assertThat(withoutState(again)).hasSize(2);
        assertThat(connection.session("s", "Last-Event-ID", "0").text()).contains("cursor_expired");
    }

    @Test
    @Tag("DUR-11")
    void whoReadsWhileASessionIsLoadedLearnsItsNewPositions() throws Exception {
        var connection = server.connect();
        connection.open("s");
        FakeExchange reader = connection.session("s");
        connection.says(update("s", "before"));
        connection.post(call(1, "session/load", "s"));
        connection.says(update("s", "again"));
        connection.says(call(5, "session/request_permission", "s"));
        String place = reader.places().getLast();

        assertThat(reader.places()).hasSize(2);
        assertThat(withoutState(connection.session("s", "Last-Event-ID", place)))
                .satisfiesExactly(
                        first -> assertThat(first).asString().contains("again"),
                        second -> assertThat(second).asString().contains("session/request_permission"));
    }

    private static List<String> texts(FakeExchange stream) {
        return withoutState(stream).stream()
                .map(data -> data.replaceAll(".*(<\\d+>).*", "$1"))
                .toList();
    }

    private static String take(FakeExchange from, List<String> to, int begin, int end, String cursor) {
        if (begin == end) {
            return cursor;
        }
        to.addAll(texts(from).subList(begin, end));
        return from.ids().get(end - 1);
    }

    @Test
    @Tag("DUR-07")
    @Tag("DUR-12")
    void anAnswerComesBehindTheUpdatesOfAReplay() throws Exception {
        var connection = server.connect();
        FakeExchange first = connection.session("s");
        connection.post(call(1, "session/prompt", "s"));
        for (int i = 0; i < 2000; i++) {
            connection.says(update("s", "x".repeat(100) + i));
        }
        FakeExchange second = FakeExchange.get(connection.id)
                .with("Acp-Session-Id", "s")
                .with("Last-Event-ID", first.ids().get(5));
        second.blocked = true;
        server.handle(second);
        connection.says(END);
        second.unblock();

        assertThat(withoutState(second)).hasSize(1995);
        assertThat(withoutState(second).getLast()).contains("end_turn");
        assertThat(first.ended).isTrue();
        assertThat(first.aborted).isFalse();
        assertThat(first.data()).hasSize(2000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/load\",\"params\":{\"sessionId\":\"s\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/resume\",\"params\":{\"sessionId\":\"s\","
                        + "\"replayFrom\":{\"type\":\"start\"}}}"
            })
    @Tag("DUR-11")
    void aHistoryBeginsTheStreamAnew(String request) throws Exception {
        var connection = server.connect();
        connection.open("s");
        FakeExchange first = connection.session("s");
        connection.says(update("s", "seen"));
        String cursor = first.ids().get(0);
        first.leave();
        connection.post(call(2, "session/set_mode", "s"));
        connection.says(update("s", "not seen"));
        connection.says(call(5, "session/request_permission", "s"));
        connection.says("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
        connection.post(request);
        connection.says(update("s", "history"));

        assertThat(connection.session("s", "Last-Event-ID", cursor).text()).contains("cursor_unknown");
        FakeExchange second = connection.session("s");
        assertThat(second.data()).hasSize(2);
        assertThat(second.data().get(1)).contains("\"id\":2");
        assertThat(second.data().get(0))
                .contains("session/request_permission")
                .contains("acp/cursor\":\"" + second.ids().get(0));
        assertThat(second.ids().get(0).split("-", 2)[0]).isNotEqualTo(cursor.split("-", 2)[0]);
    }

    @Test
    @Tag("DUR-11")
    void aStreamThatBeganAnewWithoutAHistoryGoesOn() throws Exception {
        var connection = server.connect();
        connection.open("s");
        FakeExchange first = connection.session("s");
        connection.says(update("s", "seen"));
        connection.post(call(1, "session/load", "s"));
        connection.says("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
        String beginning = first.places().getLast();
        first.leave();
        FakeExchange second = connection.session("s", "Last-Event-ID", beginning);
        connection.says(update("s", "new"));

        assertThat(withoutState(second)).singleElement().asString().contains("new");
    }

    @Test
    @Tag("DUR-11")
    void aBeginningWithoutAnOpenRequestThatWasSentBeforeItIsRefused() throws Exception {
        var connection = server.connect();
        connection.open("s");
        FakeExchange first = connection.session("s");
        connection.says(call(5, "session/request_permission", "s"));
        connection.post(call(1, "session/load", "s"));
        connection.says("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
        first.leave();

        assertThat(connection.session("s", "Last-Event-ID", "0").text()).contains("cursor_expired");
        connection.post("{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}");
        assertThat(connection.session("s", "Last-Event-ID", "0").status()).isEqualTo(200);
    }

    @Test
    @Tag("DUR-31")
    void theAnswerToALoadNamesThePlaceBehindItsHistoryAlsoToAClientThatWasCut() throws Exception {
        var connection = server.connect();
        FakeExchange own = connection.stream();
        connection.open("s");
        FakeExchange first = connection.session("s");
        connection.post(call(1, "session/load", "s"));
        connection.says(update("s", "history"));
        first.leave();
        connection.says(update("s", "more"));
        connection.says("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
        FakeExchange second =
                connection.session("s", "Last-Event-ID", first.ids().getLast());

        assertThat(own.data().getLast())
                .contains("\"acp4j/after\":\"" + second.ids().getLast() + "\"");
    }

    @Test
    @Tag("DUR-11")
    void aLoadThatIsRefusedChangesNothing() throws Exception {
        var connection = server.connect();
        connection.open("s");
        FakeExchange first = connection.session("s");
        connection.post(call(1, "session/prompt", "s"));
        connection.says(update("s", "seen"));
        String cursor = first.ids().get(0);
        first.leave();
        connection.says(update("s", "not seen"));
        connection.post(call(2, "session/load", "s"));
        connection.says(update("s", "of the turn"));
        connection.says("{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":1,\"message\":\"busy\"}}");
        FakeExchange own = connection.stream();
        FakeExchange second = connection.session("s", "Last-Event-ID", cursor);

        assertThat(second.status()).isEqualTo(200);
        assertThat(withoutState(second)).singleElement().asString().contains("not seen");
        assertThat(own.data()).anyMatch(text -> text.contains("of the turn"));
    }

    @Test
    @Tag("DUR-15")
    void theStateThatComesWithAHistoryIsTheLast() throws Exception {
        var connection = server
        .new Connection("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":2,\"capabilities\":{}}}");
        String state = "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\","
                + "\"update\":{\"sessionUpdate\":\"state_update\",\"state\":\"";
        connection.says(state + "running\"}}}");
        connection.post(call(1, "session/resume", "s"));
        connection.says(state + "idle\"}}}");
        connection.says("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
        FakeExchange session = connection.session("s");

        assertThat(connection
                        .session("s", "Last-Event-ID", session.ids().get(0))
                        .data())
                .singleElement()
                .asString()
                .contains("idle");
    }

    @Test
    @Tag("DUR-15")
    void inVersion2TheLastStateComesBehindTheReplay() throws Exception {
        var connection = server
        .new Connection("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":2,\"capabilities\":{}}}");
        for (String state : new String[] {
            "\"state\":\"running\"", "\"state\":\"requires_action\"", "\"state\":\"idle\",\"stopReason\":\"end_turn\""
        }) {
            FakeExchange first = connection.session("s");
            connection.says(update("s", "before"));
            connection.says("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\","
                    + "\"update\":{\"sessionUpdate\":\"state_update\"," + state + "}}}");
            connection.says(update("s", "after"));
            FakeExchange second =
                    connection.session("s", "Last-Event-ID", first.ids().get(1));
            connection.says(update("s", "live"));

            assertThat(second.data()).hasSize(3);
            assertThat(second.data().get(0)).contains("after");
            assertThat(second.data().get(1)).contains(state).doesNotContain("acp/cursor");
            assertThat(second.data().get(2)).contains("live");
            assertThat(second.ids()).hasSize(2);
            second.leave();
        }
        FakeExchange none = connection.session("t");
        connection.says(update("t", "one"));
        assertThat(connection.session("t", "Last-Event-ID", none.ids().get(0)).data())
                .isEmpty();
    }

    @Test
    @Tag("DUR-16")
    void inVersion1WhoResumesHearsTheStateOfTheTurn() throws Exception {
        var connection = server.connect();
        FakeExchange first = connection.session("s");
        connection.says(update("s", "one"));
        String cursor = first.ids().get(0);

        assertThat(state(connection, cursor)).contains("{\"state\":\"idle\"}");
        connection.post(call(7, "session/prompt", "s"));
        assertThat(state(connection, cursor)).contains("{\"state\":\"running\",\"promptRequestId\":7}");
        connection.says(call(5, "session/request_permission", "s"));
        assertThat(state(connection, cursor)).contains("{\"state\":\"requires_action\",\"promptRequestId\":7}");
        connection.post("{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}");
        assertThat(state(connection, cursor)).contains("{\"state\":\"running\",\"promptRequestId\":7}");
        connection.says("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"stopReason\":\"end_turn\"}}");
        assertThat(state(connection, cursor)).contains("{\"state\":\"idle\"}");
        assertThat(first.stream.toString()).doesNotContain("turnState");
    }

    private static String state(EndpointFixture.Connection connection, String cursor) throws Exception {
        return connection.session("s", "Last-Event-ID", cursor).data().getLast();
    }

    @Test
    @Tag("DUR-18")
    void whoComesAnewIsAskedAgainAndWhoResumesIsNot() throws Exception {
        var connection = server.connect();
        FakeExchange first = connection.session("s");
        connection.says(call(5, "session/request_permission", "s"));
        connection.says(call(6, "session/request_permission", "s"));
        connection.post("{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}");
        String cursor = first.ids().get(1);
        first.leave();
        FakeExchange anew = connection.session("s");

        assertThat(anew.data()).singleElement().asString().contains("\"id\":6");
        assertThat(anew.ids()).isEmpty();
        assertThat(withoutState(connection.session("s", "Last-Event-ID", cursor)))
                .isEmpty();
    }

    @Test
    @Tag("DUR-21")
    @Tag("HTS-31")
    void aFullLogSlowsTheAgentUntilAClientReads() throws Exception {
        EndpointFixture small = new EndpointFixture(Http.on(0).limits(ServerLimits.STANDARD.withQueuedBytes(10_000)));
        var connection = small.connect();
        connection.open("s");
        AtomicInteger said = new AtomicInteger();
        Thread writing = Thread.ofVirtual().start(() -> {
            try {
                for (int i = 0; i < 100; i++) {
                    connection.says(update("s", "x".repeat(1000)));
                    said.incrementAndGet();
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        boolean waits = Poll.until(() -> said.get() > 0 && writing.getState() == Thread.State.WAITING);
        FakeExchange held = FakeExchange.post(call(2, "session/list", "")).with("Acp-Connection-Id", connection.id);
        Thread holding = start(small, held);
        boolean isHeld = held.watched.await(60, TimeUnit.SECONDS);
        String cancel = "{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"s\"}}";
        int canceled = connection.post(cancel).status();
        int saidMeanwhile = said.get();
        FakeExchange session = connection.session("s");

        assertThat(waits).isTrue();
        assertThat(isHeld).isTrue();
        assertThat(canceled).isEqualTo(202);
        assertThat(saidMeanwhile).isLessThan(20);
        assertThat(writing.join(Duration.ofSeconds(60))).isTrue();
        assertThat(session.data()).hasSize(100);
        assertThat(holding.join(Duration.ofSeconds(60))).isTrue();
        assertThat(held.status()).isEqualTo(202);
        assertThat(connection.hears())
                .as("nothing but what the client has sent")
                .isEqualTo(cancel);
        assertThat(connection.hears()).contains("session/list");
        assertThat(connection.agent.reader().isReady()).isFalse();
    }

    @Test
    @Tag("DUR-22")
    void losingEveryStreamEndsNothing() throws Exception {
        var connection = server.connect();
        FakeExchange own = connection.stream();
        connection.open("s");
        FakeExchange session = connection.session("s");
        connection.post(call(1, "session/prompt", "s"));
        connection.hears();
        connection.says(update("s", "one"));
        String cursor = session.ids().get(0);
        own.leave();
        session.leave();
        for (int i = 0; i < 60; i++) {
            server.pass(Duration.ofSeconds(1));
        }
        connection.says(update("s", "two"));
        connection.says(END);

        FakeExchange resumed = connection.session("s", "Last-Event-ID", cursor);
        assertThat(withoutState(resumed)).hasSize(2);
        assertThat(withoutState(resumed).get(1)).contains("end_turn");
        assertThat(connection.agent.reader().isReady()).isFalse();
    }

    @Test
    @Tag("DUR-23")
    void theEndOfASessionEndsItsStreamAlone() throws Exception {
        var connection = server.connect();
        FakeExchange own = connection.stream();
        connection.open("s");
        connection.open("t");
        FakeExchange closed = connection.session("s");
        FakeExchange other = connection.session("t");
        connection.post(call(1, "session/close", "s"));
        connection.says("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");

        assertThat(closed.data()).singleElement().asString().contains("\"id\":1");
        assertThat(closed.ended).as("the session may be loaded again at once").isFalse();
        server.pass(Duration.ofMinutes(1));
        assertThat(closed.ended).isTrue();
        assertThat(closed.aborted).isFalse();
        assertThat(other.ended).isFalse();
        assertThat(own.ended).isFalse();
    }

    @Test
    @Tag("DUR-35")
    void aMessageWithAKeyIsTakenOnce() throws Exception {
        var connection = server.connect();
        String prompt = call(1, "session/prompt", "s");

        assertThat(connection.post(prompt, "Idempotency-Key", "k-1").status()).isEqualTo(202);
        assertThat(connection.post(prompt, "Idempotency-Key", "k-1").status()).isEqualTo(202);
        assertThat(connection
                        .post(prompt.replace("1", "2"), "Idempotency-Key", "k-1")
                        .status())
                .isEqualTo(422);
        assertThat(connection.post(prompt, "Idempotency-Key", "k".repeat(1025)).status())
                .isEqualTo(400);
        connection.hears();
        assertThat(connection.agent.reader().isReady()).isFalse();
        server.time.advance(Duration.ofMinutes(10));
        assertThat(connection.post(prompt, "Idempotency-Key", "k-1").status()).isEqualTo(202);
        assertThat(connection.hears()).isEqualTo(prompt);
    }

    @Test
    @Tag("DUR-35")
    void keysAreOfOneConnectionAndBounded() throws Exception {
        var connection = server.connect();
        var other = server.connect();
        String cancel = "{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"s\"}}";
        connection.post(cancel, "Idempotency-Key", "k-0");
        connection.hears();
        int ofOther = other.post(call(1, "session/list", ""), "Idempotency-Key", "k-0")
                .status();
        connection.post(cancel, "Idempotency-Key", "k-0");
        boolean twice = connection.agent.reader().isReady();
        for (int i = 1; i <= 10_000; i++) {
            connection.post(cancel, "Idempotency-Key", "k-" + i);
            connection.hears();
        }

        assertThat(ofOther).isEqualTo(202);
        assertThat(twice).isFalse();
        assertThat(connection.post(cancel, "Idempotency-Key", "k-0").status()).isEqualTo(202);
        assertThat(connection.agent.reader().isReady()).as("it is taken again").isTrue();
    }

    @Test
    @Tag("DUR-12")
    void ofTwoThatGoOnAtOnceOneDoesAndEachGetsEverythingOnce() throws Exception {
        var connection = server.connect();
        connection.open("s");
        FakeExchange before = connection.session("s");
        connection.says(update("s", "<0>"));
        String cursor = before.ids().getLast();
        int number = 0;
        for (int round = 0; round < 1000; round++) {
            FakeExchange one = goesOn(connection.id, cursor);
            FakeExchange two = goesOn(connection.id, cursor);
            Thread first = start(server, one);
            Thread second = start(server, two);
            List<String> said = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                said.add("<" + ++number + ">");
                connection.says(update("s", said.getLast()));
            }
            first.join();
            second.join();
            FakeExchange last = one.ended ? two : one;
            FakeExchange earlier = one.ended ? one : two;

            assertThat(before.ended).isTrue();
            assertThat(earlier.ended).isTrue();
            assertThat(earlier.aborted).isFalse();
            assertThat(last.ended).isFalse();
            assertThat(texts(last)).isEqualTo(said);
            assertThat(texts(earlier)).isEqualTo(said.subList(0, texts(earlier).size()));
            before = last;
            cursor = last.ids().getLast();
        }
    }

    private static FakeExchange goesOn(String connection, String cursor) {
        return FakeExchange.get(connection).with("Acp-Session-Id", "s").with("Last-Event-ID", cursor);
    }

    private static Thread start(EndpointFixture server, FakeExchange exchange) {
        return Thread.ofVirtual().start(() -> {
            try {
                server.handle(exchange);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Test
    @Tag("DUR-35")
    void aMessageThatComesAgainWhileItsFirstIsHeldIsTakenWhenTheFirstIsAbandoned() throws Exception {
        EndpointFixture small = new EndpointFixture(Http.on(0).limits(ServerLimits.STANDARD.withQueuedBytes(1000)));
        var connection = small.connect();
        connection.post(call(1, "session/prompt", "s"));
        List<FakeExchange> twins = new ArrayList<>();
        List<Thread> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            FakeExchange twin = FakeExchange.post(call(2, "session/prompt", "s"))
                    .with("Acp-Connection-Id", connection.id)
                    .with("Idempotency-Key", "k");
            twins.add(twin);
            waiting.add(start(small, twin));
            twin.watched.await();
        }
        // The first is held, the third waits for it.
        twins.get(0).leave();
        twins.get(2).leave();
        assertThat(waiting.get(0).join(Duration.ofMinutes(1))).isTrue();
        assertThat(waiting.get(2).join(Duration.ofMinutes(1))).isTrue();
        assertThat(connection.hears()).contains("\"id\":1");

        assertThat(waiting.get(1).join(Duration.ofMinutes(1))).isTrue();
        assertThat(waiting.get(3).join(Duration.ofMinutes(1))).isTrue();
        assertThat(twins).extracting(FakeExchange::status).containsExactly(-1, 202, -1, 202);
        assertThat(connection.hears()).contains("\"id\":2");
        assertThat(connection.agent.reader().isReady()).isFalse();
    }

    @Test
    @Tag("DUR-35")
    void theKeyOfAMessageThatIsBeingTakenIsNotForgotten() throws Exception {
        EndpointFixture small = new EndpointFixture(Http.on(0).limits(ServerLimits.STANDARD.withQueuedBytes(1000)));
        var connection = small.connect();
        connection.post(call(1, "session/prompt", "s"));
        FakeExchange first = FakeExchange.post(call(2, "session/prompt", "s"))
                .with("Acp-Connection-Id", connection.id)
                .with("Idempotency-Key", "k");
        Thread holding = start(small, first);
        first.watched.await();
        small.time.advance(Duration.ofMinutes(11));
        FakeExchange twin = FakeExchange.post(call(2, "session/prompt", "s"))
                .with("Acp-Connection-Id", connection.id)
                .with("Idempotency-Key", "k");
        Thread waiting = start(small, twin);
        twin.watched.await();
        connection.hears();

        assertThat(holding.join(Duration.ofMinutes(1))).isTrue();
        assertThat(waiting.join(Duration.ofMinutes(1))).isTrue();
        assertThat(connection.hears()).contains("\"id\":2");
        assertThat(connection.agent.reader().isReady()).isFalse();
    }

    @Test
    @Tag("DUR-39")
    void aReaderThatTakesNothingIsDroppedAndTheConnectionStays() throws Exception {
        var connection = server.connect();
        FakeExchange session = connection.session("s");
        session.blocked = true;
        connection.says(update("s", "one"));
        server.pass(Duration.ofSeconds(29));
        assertThat(session.aborted).isFalse();
        server.pass(Duration.ofSeconds(1));

        assertThat(session.aborted).isTrue();
        assertThat(connection.session("s").data()).singleElement().asString().contains("one");
    }

    @Test
    @Tag("HST-19")
    @Tag("HST-16")
    void aStreamEndsWithItsCredential() throws Exception {
        boolean[] valid = {true};
        EndpointFixture guarded = new EndpointFixture(
                Http.on(0), credentials -> new Authenticator.Allowed(Principal.of("me"), () -> valid[0]));
        var connection = guarded.connect();
        FakeExchange session = connection.session("s");
        connection.says(update("s", "one"));
        valid[0] = false;
        guarded.pass(Duration.ofSeconds(1));

        assertThat(session.ended).isTrue();
        assertThat(session.aborted).isFalse();
        assertThat(withoutState(
                        connection.session("s", "Last-Event-ID", session.ids().get(0))))
                .isEmpty();
    }
}
