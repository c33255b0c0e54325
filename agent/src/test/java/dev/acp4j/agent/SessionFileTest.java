package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.schema.SessionId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SessionFileTest {
    @TempDir
    Path folder;

    private final SessionRecord begun = new SessionRecord.Begun(SessionId.of("s"), Path.of("/work"), List.of());

    /** A cancelled turn has an interrupted thread, and an interrupt closes a file that it uses. */
    @Test
    void aCancelledTurnIsSavedAndSoAreThoseBehindIt() throws Exception {
        Path path = folder.resolve("s.jsonl");
        SessionFile file = SessionFile.create(path, begun);

        Thread.currentThread().interrupt();
        file.add(new SessionRecord.TurnBegun(1));
        boolean interrupted = Thread.interrupted();
        file.add(new SessionRecord.TurnBegun(2));

        assertThat(interrupted).isTrue();
        assertThat(file.takeProblem()).isNull();
        file.close();
        Thread.currentThread().interrupt();
        SessionFile.Opened opened = Objects.requireNonNull(SessionFile.open(path));
        assertThat(Thread.interrupted()).isTrue();
        List<SessionRecord> records = new ArrayList<>();
        opened.file().read(records::add);
        assertThat(records).containsExactly(begun, new SessionRecord.TurnBegun(1), new SessionRecord.TurnBegun(2));
        opened.file().close();
    }
}
