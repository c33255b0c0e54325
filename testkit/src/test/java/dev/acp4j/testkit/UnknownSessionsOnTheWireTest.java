package dev.acp4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A client that ends sessions which its agent does not know, or not any more. */
@Timeout(60)
@ExtendWith(LeakRule.class)
class UnknownSessionsOnTheWireTest {
    private static final String CAPABILITIES = "{\"sessionCapabilities\":{\"close\":{},\"delete\":{}}}";

    @RegisterExtension
    final PlayedAgent played = new PlayedAgent();

    @BeforeEach
    void connect() throws Exception {
        ConnectedAgent unused = played.connect(Client.builder("client", "1"), CAPABILITIES);
    }

    private void refuse(String method, int code) throws Exception {
        JsonObject request = played.peer.expect(method);
        played.peer.send(
                "{\"jsonrpc\":\"2.0\",\"id\":" + RawJson.of(request.get("id").orElseThrow()) + ",\"error\":{\"code\":"
                        + code + ",\"message\":\"Session not found\"}}");
    }

    private static FutureTask<Session> closing(Session session) {
        return PlayedAgent.start(() -> {
            session.close();
            return session;
        });
    }

    private FutureTask<Session> deleting(Session session) {
        return PlayedAgent.start(() -> {
            played.agent().deleteSession(session.id());
            return session;
        });
    }

    @Test
    @Tag("ERR-18")
    void closingSucceedsAndEndsTheSessionHere() throws Exception {
        Session session = played.open("");
        FutureTask<Session> closing = closing(session);

        refuse("session/close", -32002);

        assertThat(closing.get(20, TimeUnit.SECONDS)).isSameAs(session);
        assertThatThrownBy(() -> session.prompt("more")).isInstanceOf(IllegalStateException.class);
        assertThat(played.open("")).isNotSameAs(session);
    }

    @Test
    @Tag("ERR-18")
    void deletingSucceedsAndEndsTheSessionHere() throws Exception {
        Session session = played.open("");
        FutureTask<Session> deleting = deleting(session);

        refuse("session/delete", -32002);

        assertThat(deleting.get(20, TimeUnit.SECONDS)).isSameAs(session);
        assertThatThrownBy(() -> session.prompt("more")).isInstanceOf(IllegalStateException.class);
        assertThat(played.open("")).isNotSameAs(session);
    }

    @Test
    @Tag("ERR-18")
    void deletingFailsForAnyOtherReason() throws Exception {
        FutureTask<Session> deleting = deleting(played.open(""));

        refuse("session/delete", -32603);

        assertThatThrownBy(() -> deleting.get(20, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        RpcError.class, e -> assertThat(e.code()).isEqualTo(-32603));
    }
}
