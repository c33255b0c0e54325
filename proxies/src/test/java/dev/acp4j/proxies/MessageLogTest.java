package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.redaction.Redaction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class MessageLogTest {
    private static final Redaction REDACTION = Redaction.SECRETS.and(Map.of("API_TOKEN", "hunter2hunter2"));

    @TempDir
    private Path folder;

    @Test
    @Tag("RMP-18")
    void promptsAndAnswersAreLinesWithoutSecretsThatOnlyTheUserReads() throws Exception {
        Path file = folder.resolve("talk.jsonl");
        Files.writeString(file, "{\"old\":true}\n");
        try (MessageLog log = MessageLog.builder(file).redaction(REDACTION).open();
                Between between = new Between(log.proxy(), 1, "")) {
            between.opened("/");
            between.client.request(90, "session/prompt", Between.prompt("Use hunter2hunter2."));
            var there = between.agent.expect("session/prompt");
            between.update(chunk("Well, "));
            between.update(chunk("hunter2hunter2."));
            between.agent.answer(there, "{\"stopReason\":\"end_turn\"}");
            between.clientGets("session/update");
            between.clientGets("session/update");
            between.client.expectResult(90);
        }

        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).isEqualTo("{\"old\":true}");
        assertThat(lines.get(1)).startsWith("{\"time\":\"").contains("\"sessionId\":\"s\",\"prompt\":[{", "Use ");
        assertThat(lines.get(2)).contains("\"text\":\"Well, ").contains("\"end\":\"end_turn\"");
        assertThat(lines.toString()).doesNotContain("hunter2");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    private static String chunk(String text) {
        return "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"" + text + "\"}}";
    }

    @Test
    void inVersion2AnAnswerEndsWithTheStateOfTheSession() throws Exception {
        Path file = folder.resolve("talk.jsonl");
        try (MessageLog log = MessageLog.builder(file).open();
                Between between = new Between(
                        log.proxy(),
                        2,
                        ",\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{\"session\":{}}")) {
            between.opened("/");
            between.asked("session/prompt", Between.prompt("Hello."), "{}");
            between.update(
                    "{\"sessionUpdate\":\"agent_message_chunk\",\"messageId\":\"m\",\"content\":{\"type\":\"text\",\"text\":\"Hi!\"}}");
            between.update("{\"sessionUpdate\":\"state_update\",\"state\":\"idle\",\"stopReason\":\"end_turn\"}");
            between.clientGets("session/update");
            between.clientGets("session/update");
        }

        assertThat(Files.readAllLines(file))
                .hasSize(2)
                .last()
                .asString()
                .contains("\"text\":\"Hi!\",\"end\":\"end_turn\"");
    }

    @Test
    @Tag("RMP-18")
    void everyMessageIsWrittenWithItsDirectionAndPassesAsItCame() throws Exception {
        Path file = folder.resolve("all.jsonl");
        String odd = "{\"sessionId\":\"s\",\"x\":1.50,\"password\":\"hunter2hunter2\"}";
        try (MessageLog log = MessageLog.builder(file)
                        .everything()
                        .redaction(REDACTION)
                        .open();
                Between between = new Between(log.proxy(), 1, "")) {
            assertThat(between.asked("_own", odd, odd)).isEqualTo(odd);
            between.agent.notification("_said", odd);
            assertThat(between.clientGets("_said")).isEqualTo(odd);
        }

        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(5);
        assertThat(lines.get(0)).contains("\"from\":\"client\",\"method\":\"initialize\",\"params\":{");
        assertThat(lines.get(3)).contains("\"from\":\"agent\",\"method\":\"_own\",\"result\":{");
        assertThat(lines.get(4)).contains("\"from\":\"agent\",\"method\":\"_said\",\"params\":{", "1.50");
        assertThat(lines.toString()).doesNotContain("hunter2");
    }

    @Test
    @Tag("RMP-18")
    void aFullFileIsRenamedAndTheNextOneBegins() throws Exception {
        Path file = folder.resolve("all.jsonl");
        try (MessageLog log = MessageLog.builder(file).everything().maxBytes(1).open();
                Between between = new Between(log.proxy(), 1, "")) {
            between.asked("_own", "{}", "{}");
        }

        assertThat(Files.readAllLines(file)).hasSize(1).first().asString().contains("\"result\":{}");
        assertThat(Files.readAllLines(folder.resolve("all.jsonl.1"))).hasSize(1);
    }

    @Test
    void twoLogsMayWriteToOneFileWhichIsRenamedOnce() throws Exception {
        Path file = folder.resolve("all.jsonl");
        String long1 = "{\"x\":\"" + "1".repeat(300) + "\"}";
        String long2 = "{\"x\":\"" + "2".repeat(300) + "\"}";
        try (MessageLog first =
                        MessageLog.builder(file).everything().maxBytes(2000).open();
                MessageLog second =
                        MessageLog.builder(file).everything().maxBytes(2000).open();
                Between one = new Between(first.proxy(), 1, "");
                Between two = new Between(second.proxy(), 1, "")) {
            one.asked("_own", long1, "{}");
            two.asked("_own", long2, "{}");
            one.asked("_own", long1, long1);
            two.asked("_own", long2, long2);
        }

        List<String> lines = new ArrayList<>(Files.readAllLines(folder.resolve("all.jsonl.1")));
        lines.addAll(Files.readAllLines(file));
        assertThat(lines)
                .hasSize(12)
                .allSatisfy(line -> assertThat(RawJson.parse(line).value()).isInstanceOf(JsonObject.class));
        assertThat(lines.stream().filter(line -> line.contains("11111111"))).hasSize(3);
        assertThat(lines.stream().filter(line -> line.contains("22222222"))).hasSize(3);
    }

    @Test
    void aFileThatCannotBeRenamedIsReportedAndTheRestIsWrittenOnceItCan() throws Exception {
        Path file = folder.resolve("all.jsonl");
        Path inTheWay = Files.createDirectories(folder.resolve("all.jsonl.1/full"));
        CountDownLatch reported = new CountDownLatch(1);
        try (MessageLog log = MessageLog.builder(file)
                        .everything()
                        .maxBytes(1)
                        .onNotice(sentence -> {
                            reported.countDown();
                            throw new IllegalStateException("a listener that fails");
                        })
                        .open();
                Between between = new Between(log.proxy(), 1, "")) {
            reported.await();
            Files.delete(inTheWay);
            between.asked("_own", "{}", "{}");
        }

        assertThat(Files.readString(file)).contains("\"result\":{}");
    }

    @Test
    @Tag("RMP-18")
    void linesThatAreLostAreCountedOnceTheFileCanBeWrittenAgain() throws Exception {
        Path file = folder.resolve("all.jsonl");
        Path inTheWay = Files.createDirectories(folder.resolve("all.jsonl.1/full"));
        CountDownLatch reported = new CountDownLatch(1);
        try (MessageLog log = MessageLog.builder(file)
                        .everything()
                        .maxBytes(500)
                        .onNotice(sentence -> reported.countDown())
                        .open();
                Between between = new Between(log.proxy(), 1, "")) {
            between.asked("_own", "{\"x\":\"" + "1".repeat(500) + "\"}", "{}");
            reported.await();
            Files.delete(inTheWay);
            between.asked("_own", "{}", "{}");
        }

        assertThat(Files.readString(file)).contains("\"lost\":1}", "\"result\":{}");
    }

    @Test
    @Tag("RMP-18")
    void aDiskThatIsFullHoldsUpNothingAndIsReportedOnce() throws Exception {
        List<String> notices = new ArrayList<>();
        Path full = Path.of("/dev/full");
        assumeTrue(Files.isWritable(full) && !Files.isRegularFile(full));
        Path link = Files.createSymbolicLink(folder.resolve("log"), full);
        try (MessageLog log = MessageLog.builder(link)
                        .everything()
                        .onNotice(notices::add)
                        .open();
                Between between = new Between(log.proxy(), 1, "")) {
            between.asked("_own", "{}", "{}");
        }

        assertThat(notices).singleElement().asString().contains("messages are missing");
    }
}
