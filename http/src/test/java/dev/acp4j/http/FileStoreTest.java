package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.testkit.FakeTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a store has of the connections of an earlier process. */
@Tag("DUR-33")
class FileStoreTest {
    @TempDir
    Path folder;

    private final FakeTime time = new FakeTime();
    private final List<String> problems = new ArrayList<>();
    private @Nullable FileStore store;
    private int connections;

    private FileStore store() throws IOException {
        FileStore open = store;
        if (open == null) {
            open = FileStore.open(
                    StreamStore.in(folder.resolve("store")),
                    () -> new MemoryLog(
                            new MemoryLog.Retention(Long.MAX_VALUE, 10, Duration.ofDays(1)), time, new SecureRandom()),
                    problems::add,
                    time);
            store = open;
        }
        return open;
    }

    /** Leaves the store to another process. */
    private void leave() throws IOException {
        store().close();
        store = null;
    }

    private FileConnection connection() throws IOException {
        FileConnection made = store().create("connection-" + ++connections, new Principal("me", Set.of("staff")));
        made.initialized(true);
        return made;
    }

    private StreamLog create() throws IOException {
        return connection().log("s");
    }

    @AfterEach
    void close() {
        if (store != null) {
            store.close();
        }
        assertThat(problems).isEmpty();
    }

    /** Has another process take over. */
    private List<FileConnection> restart() throws IOException {
        leave();
        return store().restore();
    }

    private static StreamLog.Frame frame(long number) {
        return new StreamLog.Frame(number, RawJson.string("frame " + number));
    }

    private static List<String> texts(StreamLog log) {
        return log.read(0, Long.MAX_VALUE).stream()
                .map(frame -> frame.number() + frame.json().toString())
                .toList();
    }

    private List<Path> files(String suffix) throws IOException {
        try (Stream<Path> all = Files.walk(folder.resolve("store"))) {
            return all.filter(Files::isRegularFile)
                    .filter(file -> file.getFileName().toString().matches(suffix))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void aLogIsRestoredAsItWas() throws Exception {
        FileConnection before = connection();
        StreamLog log = before.log("s");
        StreamLog other = before.log("");
        for (int i = 1; i <= 30; i++) {
            log.append(frame(i));
        }
        log.sent(20);
        List<FileConnection> restored = restart();

        assertThat(restored).singleElement().satisfies(connection -> {
            assertThat(connection.id()).isEqualTo(before.id());
            assertThat(connection.principal()).isEqualTo(new Principal("me", Set.of("staff")));
            assertThat(connection.isVersion1()).isTrue();
            assertThat(connection.earlier()).extracting(FileLog::session).containsExactly("s", "");
        });
        FileLog again = restored.get(0).earlier().get(0);
        assertThat(again.epoch()).isEqualTo(log.epoch());
        assertThat(texts(again)).isEqualTo(texts(log)).hasSize(20).startsWith("11\"frame 11\"");
        assertThat(again.lastSent()).isEqualTo(20);
        assertThat(again.last()).isEqualTo(30);
        assertThat(again.find(9)).isEqualTo(StreamLog.Place.EXPIRED);
        assertThat(again.unsentBytes()).isEqualTo(log.unsentBytes());
        assertThat(restored.get(0).earlier().get(1).epoch()).isEqualTo(other.epoch());
        again.append(frame(31));
        assertThat(texts(restart().get(0).earlier().get(0))).hasSize(21).endsWith("31\"frame 31\"");
    }

    @Test
    void aLogThatBeganAnewIsRestoredFromThere() throws Exception {
        StreamLog log = create();
        log.append(frame(1));
        log.append(frame(2));
        log.sent(2);
        log.restart();
        log.append(frame(3));
        FileLog again = restart().get(0).earlier().get(0);

        assertThat(again.epoch()).isEqualTo(log.epoch());
        assertThat(texts(again)).containsExactly("3\"frame 3\"");
        assertThat(again.lastSent()).isEqualTo(2);
        assertThat(again.find(2)).isEqualTo(log.find(2));
    }

    @Test
    void aRecordThatWasBegunIsCutOffWhereverThatWas() throws Exception {
        StreamLog log = create();
        log.append(frame(1));
        Path file = files("[0-9]+[.][0-9]+").get(0);
        long whole = Files.size(file);
        log.append(frame(2));
        byte[] bytes = Files.readAllBytes(file);
        for (int size = (int) whole; size < bytes.length; size++) {
            leave();
            byte[] cut = Arrays.copyOf(bytes, size);
            Files.write(file, cut);
            FileLog again = store().restore().get(0).earlier().get(0);
            assertThat(texts(again)).as("cut at " + size).containsExactly("1\"frame 1\"");
            assertThat(Files.size(file)).isEqualTo(whole);
        }
        bytes[bytes.length - 2] ^= 1;
        leave();
        Files.write(file, bytes);

        FileLog again = store().restore().get(0).earlier().get(0);
        assertThat(texts(again)).containsExactly("1\"frame 1\"");
        again.append(frame(3));
        assertThat(texts(restart().get(0).earlier().get(0))).containsExactly("1\"frame 1\"", "3\"frame 3\"");
    }

    @Test
    @Tag("DUR-19")
    void filesOfWhatWasDroppedAreDeleted() throws Exception {
        StreamLog log = create();
        String large = "x".repeat(1 << 20);
        for (int i = 1; i <= 12; i++) {
            log.append(new StreamLog.Frame(i, RawJson.string(large)));
        }
        int unsent = files("[0-9]+[.][0-9]+").size();
        log.sent(12);
        int kept = files("[0-9]+[.][0-9]+").size();
        while (log.oldest() != null) {
            log.dropOldest();
        }
        int left = files("[0-9]+[.][0-9]+").size();

        assertThat(List.of(unsent, kept, left)).containsExactly(4, 4, 1);
        FileLog again = restart().get(0).earlier().get(0);
        assertThat(again.read(0, 1)).isEmpty();
        assertThat(again.find(12)).isEqualTo(StreamLog.Place.KNOWN);
        assertThat(again.find(11)).isEqualTo(StreamLog.Place.EXPIRED);
    }

    @Test
    void openRequestsAreKeptUntilTheyAreAnswered() throws Exception {
        FileConnection connection = connection();
        Path state = files("connection").get(0);
        long calm = Files.size(state);
        connection.asked(RequestId.of(1), "session/prompt", "s");
        connection.asked(RequestId.of("two"), "session/prompt", "t");
        connection.answered(RequestId.of(1));
        connection.answered(RequestId.of(7));
        FileConnection restored = restart().get(0);

        assertThat(restored.open())
                .containsExactly(new FileConnection.Asked(RequestId.of("two"), "session/prompt", "t"));
        restored.answered(RequestId.of("two"));
        assertThat(restart().get(0).open()).isEmpty();
        FileConnection other = connection();
        Path second = files("connection").get(1);
        for (int i = 0; i < 100; i++) {
            other.asked(RequestId.of(i), "session/prompt", "s");
            other.answered(RequestId.of(i));
        }
        // A connection that lives for long does not fill the disk.
        assertThat(Files.size(second)).isEqualTo(calm);
    }

    @Test
    void aConnectionThatIsOverLeavesNothing() throws Exception {
        FileConnection connection = connection();
        connection.log("s").append(frame(1));
        FileConnection unfinished = store().create("not initialized", Principal.of("me"));
        unfinished.log("");
        connection.end();

        assertThat(files("[0-9.]+|connection")).hasSize(2);
        assertThat(restart()).isEmpty();
        assertThat(files(".*")).extracting(Path::getFileName).containsExactly(Path.of("lock"));
    }

    @Test
    void onlyThisUserReadsTheFilesAndOneServerUsesThem() throws Exception {
        create().append(frame(1));
        Path root = folder.resolve("store");

        try (Stream<Path> all = Files.walk(root)) {
            assertThat(all.toList())
                    .hasSize(5)
                    .allSatisfy(path -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                            .isEqualTo(Files.isDirectory(path) ? "rwx------" : "rw-------"));
        }
        assertThatThrownBy(() ->
                        FileStore.open(StreamStore.in(root), () -> Objects.requireNonNull(null), problems::add, time))
                .hasMessageContaining("used by another server");
    }

    @Test
    void aConnectionGoesOnInMemoryWhenItsFilesCannotBeWritten() throws Exception {
        FileConnection connection = connection();
        StreamLog log = connection.log("s");
        Path kept = files("connection").get(0).getParent();
        try (Stream<Path> all = Files.list(kept)) {
            for (Path file : all.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(kept);
        // Not open any more, so that the next one opens it.
        time.advance(Duration.ofSeconds(1));
        store().close();
        log.append(frame(1));
        log.append(frame(2));

        assertThat(texts(log)).hasSize(2);
        assertThat(problems).singleElement().asString().contains("cannot be kept in " + kept);
        problems.clear();
        assertThat(restart()).isEmpty();
    }
}
