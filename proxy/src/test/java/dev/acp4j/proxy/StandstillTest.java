package dev.acp4j.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.Message;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Components that read nothing while they write. The pipes of the system and the queues here hold a small part of what
 * is sent.
 */
@Timeout(3600)
class StandstillTest {
    private static final int QUEUE_BYTES = 64 * 1024;
    /** 8 KiB each, both ways; 12,500 are 100 MB. */
    private static final int MESSAGES = Integer.getInteger("acp4j.standstill.messages", 2000);

    private static final String TEXT = "{\"text\":\"" + "x".repeat(8 * 1024) + "\"}";

    private int number;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "schema",
                "rust3",
                "schema schema",
                "schema rust3 schema",
                "schema schema rust3 schema rust3 schema"
            })
    @Tag("CON-29")
    void componentsWithOneThreadInARowDoNotStandStillWhenBothSidesSendMuchAtOnce(String dialects) throws Exception {
        Component[] row = Arrays.stream(dialects.split(" "))
                .map(dialect -> StandIn.component("single" + number++, dialect))
                .toArray(Component[]::new);
        try (ChainOfPeers chain = ChainOfPeers.withQueues(QUEUE_BYTES, row)) {
            FutureTask<Integer> fromClient = started(() -> send(chain.client));
            FutureTask<Integer> fromAgent = started(() -> send(chain.agent));
            FutureTask<Integer> atClient = started(() -> receive(chain.client));
            FutureTask<Integer> atAgent = started(() -> receive(chain.agent));

            assertThat(atClient.get()).isEqualTo(MESSAGES);
            assertThat(atAgent.get()).isEqualTo(MESSAGES);
            assertThat(fromClient.get() + fromAgent.get()).isEqualTo(2 * MESSAGES);
        }
    }

    private static FutureTask<Integer> started(Callable<Integer> body) {
        FutureTask<Integer> task = new FutureTask<>(body);
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    private static int send(Peer end) throws Exception {
        for (int i = 0; i < MESSAGES; i++) {
            end.notify("_flood", TEXT);
        }
        return MESSAGES;
    }

    private static int receive(Peer end) throws Exception {
        for (int i = 0; i < MESSAGES; i++) {
            Message message = end.receive();
            assertThat(message.params()).hasToString(TEXT);
        }
        return MESSAGES;
    }
}
