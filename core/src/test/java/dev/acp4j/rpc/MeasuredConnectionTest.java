package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a connection's listener is told of requests that come to nothing. */
@Timeout(60)
class MeasuredConnectionTest {
    @RegisterExtension
    final Wired wired = new Wired();

    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    private Connection start(RawPeer peer, Transport transport) {
        wired.peer = peer;
        return Connection.builder(transport, wired)
                .limits(Limits.STANDARD.withRequests(1, 1))
                .onProblem(wired.problems::add)
                .secrets(text -> {
                    throw new IllegalStateException("no list of secrets");
                })
                .listener(new Connection.Listener() {
                    @Override
                    public void handled(Connection on, String method, Duration time, @Nullable RpcError error) {
                        told.add(method + " handled" + (error == null ? "" : " " + error.code()));
                    }

                    @Override
                    public void called(Connection on, String method, Duration time, @Nullable RpcException failure) {
                        told.add(method + " called"
                                + (failure == null
                                        ? ""
                                        : " " + failure.getClass().getSimpleName()));
                    }
                })
                .start();
    }

    private Connection start() {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        return start(new RawPeer(pair.right()), pair.left());
    }

    @Test
    @Tag("TRC-09")
    void aCallWithoutAnAnswerIsToldWhenItsTimeIsOverAndNotAgain() throws Exception {
        try (Connection connection = start()) {
            Call call = connection.start("slow", null, RawJson.CODEC, null);
            assertThatThrownBy(() -> call.await(Duration.ofMillis(1))).isInstanceOf(RequestTimeoutException.class);
            assertThat(told.take()).isEqualTo("slow called RequestTimeoutException");

            wired.answers(call, "1");
            call.join();
            Call other = connection.start("quick", null, RawJson.CODEC, null);
            wired.answers(other, "1");
            assertThat(other.await()).hasToString("1");
            assertThat(told.take()).isEqualTo("quick called");
        }
    }

    @Test
    @Tag("TRC-09")
    void aRequestThatIsRefusedIsTold() throws Exception {
        wired.answering = request -> {
            throw RpcError.invalidParams("not this");
        };
        try (Connection unheld = start()) {
            wired.peer.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":\"x\"}");
            assertThat(wired.peer.receive()).contains("-32600");
            assertThat(told.take()).isEqualTo("m handled -32600");

            wired.asks(2, "n", "{}");
            assertThat(told.take()).isEqualTo("n handled -32602");
            assertThat(unheld.isOpen()).isTrue();
        }
    }

    @Test
    @Tag("SEC-10")
    void aFailureToHideSecretsHidesTheTextAndEndsNothing() throws Exception {
        try (Connection connection = start()) {
            wired.peer.send("token=hunter2");
            assertThat(wired.peer.receive()).contains("-32700").doesNotContain("hunter2");

            wired.asks(1, "m", "{}");
            assertThat(wired.peer.receive()).isEqualTo(Wired.result(1, "null"));
            assertThat(connection.recentNoise())
                    .containsExactly("(not shown: what hides its secrets failed with java.lang.IllegalStateException)");
        }
    }
}
