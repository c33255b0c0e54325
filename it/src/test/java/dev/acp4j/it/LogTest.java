package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.testkit.ScriptedPeer;
import dev.acp4j.testkit.Transports;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the library writes to the system's log when nobody listens to problems. */
@Timeout(60)
class LogTest {
    /** The lock of the log's handlers is their own. */
    private static final class Recording extends Handler {
        private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
        private final CountDownLatch warned = new CountDownLatch(1);

        @Override
        public void publish(@Nullable LogRecord line) {
            if (line != null) {
                lines.add(line.getMessage());
                if (line.getLevel().equals(Level.WARNING)) {
                    warned.countDown();
                }
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Test
    @Tag("SEC-02")
    @Tag("API-10")
    void aFloodOfMistakesFillsNoLog() throws Exception {
        Logger logger = Logger.getLogger("dev.acp4j.Agent");
        Recording log = new Recording();
        logger.addHandler(log);
        logger.setLevel(Level.ALL);
        logger.setUseParentHandlers(false);
        Agent agent = Agent.builder("agent", "1").onPrompt(turn -> {}).build();
        try (Transports ends = Transports.joined();
                ConnectedClient served = agent.connect(ends.agent());
                ScriptedPeer client = new ScriptedPeer(ends.client())) {
            client.request(1, "initialize", "{\"protocolVersion\":1,\"clientCapabilities\":{}}");
            client.expectResult(1);
            for (int i = 0; i < 1000; i++) {
                client.send("{\"jsonrpc\":\"2.0\",\"id\":\"unknown\",\"result\":{}}");
                client.notification("session/cancel", "{\"sessionId\":[" + i + "]}");
            }
            client.request(2, "session/list", "{}");
            client.expectError(2);

            assertThat(log.warned.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(served.isOpen()).isTrue();
            // 20 of each level in 10 seconds; on a slow machine that time may begin anew.
            assertThat(log.lines).hasSizeBetween(2, 100);
        } finally {
            logger.removeHandler(log);
            logger.setUseParentHandlers(true);
            logger.setLevel(null);
        }
    }
}
