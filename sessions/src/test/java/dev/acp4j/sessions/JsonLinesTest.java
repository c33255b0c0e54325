package dev.acp4j.sessions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class JsonLinesTest {
    @TempDir
    private Path folder;

    private static List<RawJson> values(String... values) {
        return List.of(values).stream().map(RawJson::parse).toList();
    }

    private static List<String> lines(JsonLines file) throws Exception {
        List<String> lines = new ArrayList<>();
        file.read(line -> lines.add(new String(line, StandardCharsets.UTF_8)));
        return lines;
    }

    @Test
    void valuesAreAppendedALineEachToAFileThatOnlyTheUserReads() throws Exception {
        Path path = folder.resolve("new/file.jsonl");
        try (JsonLines file = JsonLines.create(path)) {
            assertThat(path).doesNotExist();
            file.append(values("{\"a\": 1.50,\n \"b\":\"\\n\"}", "[1e3]"));
            assertThat(lines(file)).containsExactly("{\"a\":1.50,\"b\":\"\\n\"}", "[1e3]");
        }

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path.getParent())))
                .isEqualTo("rwx------");
    }

    @Test
    void aLineThatWasBegunIsGoneBeforeTheNextOne() throws Exception {
        Path path = Files.writeString(folder.resolve("file"), "{}\n{\"half");
        try (JsonLines file = JsonLines.open(path).orElseThrow()) {
            assertThat(lines(file)).containsExactly("{}");
            file.append(values("2"));
            assertThat(lines(file)).containsExactly("{}", "2");
        }

        assertThat(Files.readString(path)).isEqualTo("{}\n2\n");
        List<String> head = new ArrayList<>();
        JsonLines.head(path, 1, line -> head.add(new String(line, StandardCharsets.UTF_8)));
        assertThat(head).containsExactly("{}");
        assertThat(JsonLines.open(folder.resolve("none"))).isEmpty();
    }

    @Test
    void oneWritesAndAnotherIsRefused() throws Exception {
        Path path = folder.resolve("file");
        try (JsonLines file = JsonLines.create(path)) {
            file.append(values("1"));
            assertThatThrownBy(() -> JsonLines.open(path))
                    .isInstanceOf(JsonLines.InUseException.class)
                    .hasMessageContaining("is open in another process");
        }
        JsonLines closed = JsonLines.open(path).orElseThrow();
        closed.append(values("2"));
        closed.close();
        closed.append(values("3"));

        assertThat(Files.readString(path)).isEqualTo("1\n2\n");
    }

    /** An interrupt closes a file that the thread uses. */
    @Test
    void anInterruptedThreadWritesAndReadsAndStaysInterrupted() throws Exception {
        Path path = folder.resolve("file");
        try (JsonLines file = JsonLines.create(path)) {
            Thread.currentThread().interrupt();
            file.append(values("1"));
            assertThat(Thread.interrupted()).isTrue();
            Thread.currentThread().interrupt();
            assertThat(lines(file)).containsExactly("1");
            assertThat(Thread.interrupted()).isTrue();
            file.append(values("2"));
        }

        assertThat(Files.readString(path)).isEqualTo("1\n2\n");
    }

    @Test
    void whatSomebodyElseHasAppendedIsReadWithTheNextOpening() throws Exception {
        Path path = folder.resolve("file");
        try (JsonLines file = JsonLines.create(path)) {
            file.append(values("1"));
        }
        Files.writeString(path, "2\n", StandardOpenOption.APPEND);
        try (JsonLines file = JsonLines.open(path).orElseThrow()) {
            assertThat(lines(file)).containsExactly("1", "2");
            file.delete();
        }

        assertThat(path).doesNotExist();
    }
}
