package dev.acp4j.bench;

/** The ways to a remote agent. */
enum Way {
    HTTP1("events"),
    HTTP2("events on HTTP/2"),
    WEBSOCKET("WebSocket");

    final String text;

    Way(String text) {
        this.text = text;
    }
}
