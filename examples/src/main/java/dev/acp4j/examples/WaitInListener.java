package dev.acp4j.examples;

import dev.acp4j.Client;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.process.Launch;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A listener may wait for anything of the API: here, at the first event of a turn, for the end of that turn. */
final class WaitInListener {
    public static void main(String[] args) throws Exception {
        var process = Launch.of(args[0], List.of(args).subList(1, args.length));
        var prompted = new CompletableFuture<Turn>();
        var seen = new CompletableFuture<String>();
        var client = Client.builder("wait-in-listener", "1.0").onEvent((session, event) -> {
            if (event instanceof SessionEvent.Message && !seen.isDone()) {
                seen.complete(end(prompted.join()));
            }
        });
        try (var agent = client.connect(process)) {
            prompted.complete(agent.newSession(Path.of(".")).prompt("Hello!"));
            System.out.println("the listener saw the turn end: " + seen.get());
        }
    }

    private static String end(Turn turn) {
        try {
            return turn.result().stopReason() + ", after \"" + turn.text() + "\"";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }
}
