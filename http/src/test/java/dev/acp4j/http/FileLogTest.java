package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.testkit.FakeTime;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** A log in files, for the process that writes it; {@link FileStoreTest} has what another one reads. */
@Tag("DUR-33")
class FileLogTest extends StreamLogContract {
    @TempDir
    Path folder;

    private final FakeTime time = new FakeTime();
    private final List<String> problems = new ArrayList<>();
    private @Nullable FileStore store;

    @Override
    StreamLog create() throws Exception {
        FileStore open = store;
        if (open == null) {
            open = FileStore.open(
                    StreamStore.in(folder),
                    () -> new MemoryLog(
                            new MemoryLog.Retention(Long.MAX_VALUE, 10, Duration.ofDays(1)), time, new SecureRandom()),
                    problems::add,
                    time);
            store = open;
        }
        return open.create("connection", Principal.of("me")).log("s");
    }

    @AfterEach
    void close() {
        if (store != null) {
            store.close();
        }
        assertThat(problems).isEmpty();
    }
}
