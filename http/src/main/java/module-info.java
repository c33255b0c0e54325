import org.jspecify.annotations.NullMarked;

/** Agents on other machines: Streamable HTTP and WebSocket, as client and as server. */
@NullMarked
module dev.acp4j.http {
    requires transitive dev.acp4j;
    requires dev.acp4j.sessions;
    requires transitive java.net.http;
    requires org.eclipse.jetty.alpn.server;
    requires org.eclipse.jetty.http2.server;
    requires org.eclipse.jetty.server;
    requires org.eclipse.jetty.websocket.core.common;
    requires org.eclipse.jetty.websocket.core.server;
    requires static com.nimbusds.jose.jwt;
    requires static jakarta.servlet;
    requires static org.jspecify;
    requires static com.google.errorprone.annotations;

    exports dev.acp4j.http;
    exports dev.acp4j.http.gateway;
}
