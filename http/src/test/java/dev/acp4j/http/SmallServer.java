package dev.acp4j.http;

import dev.acp4j.Agent;
import dev.acp4j.json.RawJson;
import java.time.Duration;

/**
 * A server with the standard limits of memory and a heap of its own, as a program. It writes its address, its token,
 * and then how many of its connections are slowed, whenever that changes. Its agent says 64 MB when it is asked to.
 */
final class SmallServer {
    static final int MESSAGES = 8000;

    private SmallServer() {}

    /** Serves until it is killed. */
    public static void main(String[] args) throws Exception {
        String text = "x".repeat(8000);
        Agent agent = Agent.builder("talker", "1.0")
                .on("_x/talk", (client, params) -> {
                    for (int i = 0; i < MESSAGES; i++) {
                        client.send("_x/said", RawJson.parse("{\"n\":" + i + ",\"text\":\"" + text + "\"}"));
                    }
                    return RawJson.EMPTY_OBJECT;
                })
                .build();
        // None of the slowed ends before all are.
        ServerLimits patient = ServerLimits.STANDARD.withLiveness(Duration.ofSeconds(15), Duration.ofMinutes(5));
        HttpServer server = Http.on(0).limits(patient).drainTime(Duration.ZERO).onEvent(event -> {
            if (event instanceof ServerEvent.BytesHeld held) {
                System.out.println("slowed " + held.slowed());
            }
        });
        RunningServer running = server.start(agent::connect);
        System.out.println(running.uri());
        System.out.println(running.token().orElseThrow());
        running.awaitClosed();
    }
}
