package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.Stdio;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ContentBlock;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what was said, so that a session can be closed and loaded again: loading replays it. */
final class RememberingAgent {
    public static void main(String[] args) throws InterruptedException {
        var sessions = new ConcurrentHashMap<String, List<String>>();
        Agent.builder("remembering", "1.0")
                .onNewSession(session -> sessions.put(session.id().value(), new CopyOnWriteArrayList<>()))
                .onLoadSession(session -> {
                    var said = sessions.get(session.id().value());
                    if (said == null) {
                        throw RpcError.sessionNotFound(session.id().value());
                    }
                    for (String text : said) {
                        session.userMessage(ContentBlock.text(text));
                        session.message("You said: " + text);
                    }
                })
                .onCloseSession(session -> {})
                .onPrompt(turn -> {
                    sessions.getOrDefault(turn.sessionId().value(), List.of()).add(turn.text());
                    turn.message("You said: " + turn.text());
                })
                .serve(Stdio.system());
    }
}
