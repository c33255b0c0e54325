package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.rpc.MemoryTransport;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

/** A session that two clients see: one leaves in the middle of its turn and comes back, the other sees all of it. */
final class SharedSession {
    public static void main(String[] args) throws InterruptedException {
        var goOn = new CountDownLatch(1);
        var agent = Agent.builder("counting", "1.0")
                .onResumeSession(session -> {})
                .onPrompt(turn -> {
                    turn.message(turn.text());
                    goOn.await();
                    turn.message("done");
                })
                .build();
        var seen = new LinkedBlockingQueue<String>();
        var here = Path.of("");
        var watching = Client.builder("watcher", "1.0").onEvent((session, event) -> add(event, seen));
        try (var watcher = join(agent, watching)) {
            var author = join(agent, Client.builder("author", "1.0"));
            var session = author.newSession(here);
            var watched = watcher.resumeSession(session.id(), here);
            System.out.println("author: " + begin(session.prompt("one")));

            // Closing the session would end it for both, and closing the connection would cancel the turn.
            session.detach();
            author.close();
            goOn.countDown();
            System.out.println("watcher: " + seen.take() + " " + seen.take());

            try (var back = join(agent, Client.builder("author", "1.0"))) {
                var turn = back.resumeSession(session.id(), here).prompt("two");
                System.out.println(
                        "author, back: " + begin(turn) + " [" + turn.result().stopReason() + "]");
            }
            watched.prompt("three").result();
            System.out.println("watcher: " + String.join(" ", seen));
        }
    }

    private static ConnectedAgent join(Agent agent, Client.Builder client) throws InterruptedException {
        var pair = MemoryTransport.pair();
        var unused = agent.connect(pair.left());
        return client.connect(pair.right());
    }

    private static void add(SessionEvent event, Queue<String> texts) {
        if (event instanceof SessionEvent.Message message) {
            texts.add(message.text());
        }
    }

    /** Returns the first words of a turn. */
    private static String begin(Turn turn) {
        for (SessionEvent event : turn) {
            if (event instanceof SessionEvent.Message message) {
                return message.text();
            }
        }
        return "";
    }
}
