package dev.acp4j.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A run that finds nothing says something only if what checks it finds what is wrong. */
@Timeout(60)
class CheckersTest {
    private final Run run = Run.brief(1, Version.V1);
    private final Ledger ledger = new Ledger(run, true);

    @Test
    void whatArrivesOnceAndInOrderIsRight() throws Exception {
        sent("one", "two").forEach(text -> ledger.see("s", text));

        ledger.settleAll();

        assertThat(run.faults()).isEmpty();
    }

    @Test
    void aLostMessageIsFound() throws Exception {
        ledger.see("s", sent("one", "two").get(0));

        ledger.settleAll();

        assertThat(run.faults()).containsExactly("s/flow: 2 sent, 1 seen");
    }

    @Test
    void anOvertakenMessageIsFoundAtOnce() throws Exception {
        ledger.see("s", sent("one", "two").get(1));

        assertThat(run.faults()).containsExactly("s/flow: expected number 1, came 2");
    }

    @Test
    void aMessageThatCameTwiceIsFoundAtOnce() throws Exception {
        String text = sent("one").get(0);
        ledger.see("s", text);

        ledger.see("s", text);

        assertThat(run.faults()).containsExactly("s/flow: expected number 2, came 1");
    }

    @Test
    void aChangedMessageIsFound() throws Exception {
        ledger.see("s", sent("one").get(0).replace("one", "other"));

        ledger.settleAll();

        assertThat(run.faults()).containsExactly("s/flow: 1 sent, 1 seen, with other content");
    }

    @Test
    void whatIsLostIsExcusedOnlyByADeathThatWasNotDealtWith() throws Exception {
        Ledger.Deaths deaths = new Ledger.Deaths();
        Ledger lossy = new Ledger(run, deaths);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            if (i == 1) {
                deaths.begin();
            } else if (i == 2) {
                deaths.end();
            }
            lossy.flow("s", "flow").send("text", texts::add);
        }

        lossy.see("s", texts.get(0));
        lossy.see("s", texts.get(2));
        assertThat(run.faults()).isEmpty();
        lossy.settleAll();
        assertThat(run.faults()).containsExactly("s/flow: number 4 was lost, though nothing had died");
    }

    @Test
    void aRequestWithoutAnAnswerIsFound() throws Exception {
        AnswerWatch watch = new AnswerWatch(run);
        wire(
                watch,
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"b\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");

        watch.expectAllAnswered(Duration.ZERO);

        assertThat(run.faults()).containsExactly("never answered: 1 (1) of the client, 0 of the agent");
    }

    @Test
    void aSecondAnswerIsFound() throws Exception {
        AnswerWatch watch = new AnswerWatch(run);

        wire(
                watch,
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");

        assertThat(run.faults()).containsExactly("an answer to no open request, id 1");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aProcessThatStaysIsFound() throws Exception {
        ProcessBuilder stays = new ProcessBuilder("sh", "-c", "sleep 1000; :");
        stays.environment().put(Leftovers.MARK, "checkers");
        Process process = stays.start();
        try {
            assertThat(Run.await(() -> Leftovers.processes("checkers").size() == 2, Duration.ofSeconds(20)))
                    .isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        assertThat(Run.await(() -> Leftovers.processes("checkers").isEmpty(), Duration.ofSeconds(20)))
                .isTrue();
    }

    private List<String> sent(String... payloads) throws InterruptedException {
        List<String> texts = new ArrayList<>();
        for (String payload : payloads) {
            ledger.flow("s", "flow").send(payload, texts::add);
        }
        return texts;
    }

    /** What the client writes, a request, and what it reads, an answer. */
    private static void wire(AnswerWatch watch, String... messages) throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Transport client = watch.watch(pair.left());
        for (String message : messages) {
            if (message.contains("method")) {
                client.writer().write(Message.parse(message));
            } else {
                pair.right().writer().write(Message.parse(message));
                pair.right().writer().flush();
                client.reader().read();
            }
        }
    }
}
