package dev.acp4j.http;

import org.junit.jupiter.api.Tag;

/** The contract of every transport, over a WebSocket. */
@Tag("WSK-11")
class WebSocketTransportTest extends HttpTransportContract {
    @Override
    RemoteAgent.Over over() {
        return RemoteAgent.Over.WEBSOCKET;
    }
}
