package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.CancelNotification;
import dev.acp4j.schema.InitializeRequest;
import dev.acp4j.schema.SessionId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What adapters to libraries for metrics are told. */
@Timeout(60)
class ConnectionListenerTest {
    @RegisterExtension
    final Joined joined = new Joined();

    private static final class Counting implements Connection.Listener {
        final BlockingQueue<String> told = new LinkedBlockingQueue<>();

        @Override
        public void began(Connection connection) {
            told.add("began");
        }

        @Override
        public void handled(Connection connection, String method, Duration time, @Nullable RpcError error) {
            told.add(method + (error == null ? "" : " " + error.code()));
        }

        @Override
        public void called(Connection connection, String method, Duration time, @Nullable RpcException failure) {
            told.add(method + (failure == null ? "" : " " + failure.getClass().getSimpleName()));
        }

        @Override
        public void ended(Connection connection, Duration time, @Nullable Throwable failure) {
            told.add("ended" + (failure == null ? "" : " " + failure));
        }

        /** Returns what was told. Requests that follow each other are told of by threads of their own, in any order. */
        List<String> untilEnd() throws InterruptedException {
            List<String> all = new ArrayList<>();
            do {
                all.add(told.take());
            } while (!all.getLast().startsWith("ended"));
            return all;
        }
    }

    @Test
    @Tag("TRC-09")
    void bothSidesTellWhatTheyDo() throws Exception {
        Counting agentSide = new Counting();
        Counting clientSide = new Counting();
        ConnectedAgent connection =
                joined.join(agent(turn -> {}).connectionListener(agentSide), client().connectionListener(clientSide));

        connection.newSession(HERE).prompt("go").result();
        assertThatThrownBy(() -> connection.call("_none", null)).isInstanceOf(RpcError.class);
        connection.close();

        assertThat(agentSide.untilEnd())
                .startsWith("began")
                .containsExactlyInAnyOrder(
                        "began", "initialize", "session/new", "session/prompt", "_none -32601", "ended");
        assertThat(clientSide.untilEnd())
                .startsWith("began")
                .containsExactlyInAnyOrder(
                        "began", "initialize", "session/new", "session/prompt", "_none RpcError", "ended");
    }

    @Test
    @Tag("TRC-09")
    void aListenerThatWaitsHoldsUpNothing() throws Exception {
        CountDownLatch opened = new CountDownLatch(1);
        CountDownLatch told = new CountDownLatch(1);
        Connection.Listener waiting = new Connection.Listener() {
            @Override
            public void handled(Connection on, String method, Duration time, @Nullable RpcError error) {
                if (method.equals("initialize")) {
                    assertThatCode(opened::await).doesNotThrowAnyException();
                    told.countDown();
                }
            }
        };
        ConnectedAgent connection = joined.join(agent(turn -> {}).connectionListener(waiting), client());

        connection.newSession(HERE);
        opened.countDown();

        assertThat(told.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    @Tag("TRC-09")
    void aListenerThatFailsIsReportedAndDisturbsNothing() throws Exception {
        BlockingQueue<Problem> problems = new LinkedBlockingQueue<>();
        Connection.Listener broken = new Connection.Listener() {
            @Override
            public void called(Connection on, String method, Duration time, @Nullable RpcException failure) {
                throw new IllegalStateException("no server for metrics");
            }
        };
        ConnectedAgent connection = joined.join(
                agent(turn -> turn.message("hello")),
                client().connectionListener(broken).onProblem(problems::add));

        assertThat(connection.newSession(HERE).prompt("go").text()).isEqualTo("hello");
        assertThat(problems.take().detail()).contains("listener failed", "no server for metrics");
    }

    @Test
    void aCallMayWaitForEverAndNotForLessThanNothing() throws Exception {
        ConnectedAgent connection = joined.join(agent(turn -> {}).on("_echo", (client, params) -> params), client());
        var echo = dev.acp4j.schema.Method.rawRequest("_echo", dev.acp4j.schema.Method.Side.BOTH);

        assertThat(connection.call(echo, RawJson.EMPTY_OBJECT, Duration.ofSeconds(Long.MAX_VALUE)))
                .isEqualTo(RawJson.EMPTY_OBJECT);
        assertThatThrownBy(() -> connection.call(echo, RawJson.EMPTY_OBJECT, Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @Tag("API-08")
    void requestsAreCalledAndNotificationsSent() throws Exception {
        ConnectedAgent connection = joined.join(agent(turn -> {}), client());
        var cancel = CancelNotification.of(SessionId.of("s"));
        var initialize = InitializeRequest.builder(1).build();

        assertThatThrownBy(() -> connection.call(AgentMethods.CANCEL, cancel))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("session/cancel is a notification: send it");
        assertThatThrownBy(() -> connection.send(AgentMethods.INITIALIZE, initialize))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("initialize is a request: call it");
    }
}
