package dev.acp4j.bench;

import java.io.IOException;
import java.net.http.HttpClient;
import java.util.List;

/** The ways to a remote agent. */
enum Way {
    HTTP1("events"),
    HTTP2("events on HTTP/2"),
    WEBSOCKET("WebSocket");

    final String text;

    Way(String text) {
        this.text = text;
    }

    /** Returns what a server is started with. */
    List<String> arguments(Certificates certificates) {
        return this == HTTP2 ? certificates.arguments() : List.of();
    }

    /** Connects a client with a connection of its own, and opens its session. */
    RemoteClient open(int port, HttpClient http, Certificates certificates) throws IOException, InterruptedException {
        return switch (this) {
            case HTTP1 -> new EventsOfHttp1(port);
            case HTTP2 -> EventsOfHttp2.alone(port, certificates);
            case WEBSOCKET -> new WebSockets(http, port);
        };
    }
}
