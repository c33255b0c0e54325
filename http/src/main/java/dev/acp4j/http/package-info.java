/**
 * ACP over Streamable HTTP and WebSocket, at both ends.
 *
 * <p>{@link dev.acp4j.http.Http} says where a server listens for clients, and where a client finds an agent:
 *
 * <pre>{@code
 * Agent.builder("echo", "1.0").onPrompt(turn -> turn.message(turn.text())).serve(Http.on(8080));
 * Client.builder("ask", "1.0").connect(Http.to(URI.create("https://agents.example/acp")));
 * }</pre>
 *
 * @see <a href="https://agentclientprotocol.com/rfds/streamable-http-websocket-transport">Streamable HTTP and WebSocket
 *     transport</a>
 */
@NullMarked
package dev.acp4j.http;

import org.jspecify.annotations.NullMarked;
