package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.rpc.Time;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.server.WebSocketMappings;
import org.eclipse.jetty.websocket.core.server.WebSocketServerComponents;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests of Jetty that the endpoint treats as it never does unless it fails. */
class JettyFrontTest {
    private static final byte[] BEGUN = "data: begun\n\n".getBytes(StandardCharsets.US_ASCII);

    private final LinkedBlockingQueue<Exchange> begun = new LinkedBlockingQueue<>();

    /** Begins a stream, and leaves the rest to the test. */
    private Handler beginning(Server server) {
        WebSocketMappings webSockets =
                new WebSocketMappings(WebSocketServerComponents.ensureWebSocketComponents(server));
        return new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                Exchange exchange = new JettyFront.JettyExchange(request, response, callback, webSockets, Time.SYSTEM);
                exchange.events(Map.of("Content-Type", "text/event-stream"))
                        .write(ByteBuffer.wrap(BEGUN), failure -> begun.add(exchange));
                return true;
            }
        };
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    @Tag("HTS-30")
    void nothingIsAppendedToAnAnswerThatHasBegun(HttpClient.Version version) throws Exception {
        Server server = new Server();
        HttpConfiguration http = new HttpConfiguration();
        ServerConnector connector =
                new ServerConnector(server, new HttpConnectionFactory(http), new HTTP2CServerConnectionFactory(http));
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(beginning(server));
        server.start();
        try (HttpClient client = HttpClient.newBuilder().version(version).build()) {
            URI uri = URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/");
            HttpResponse<InputStream> answer =
                    client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofInputStream());
            InputStream body = answer.body();

            assertThat(answer.version()).isEqualTo(version);
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(body.readNBytes(BEGUN.length)).isEqualTo(BEGUN);
            begun.take().answer(Answer.refusal(500, "internal_error", "it has failed"));
            if (version == HttpClient.Version.HTTP_2) {
                assertThatThrownBy(body::read).isInstanceOf(IOException.class);
            } else {
                // The connection is its end, whichever it is.
                assertThat(body.read()).isNegative();
            }
        } finally {
            server.stop();
        }
    }
}
