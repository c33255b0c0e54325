package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.trace.TraceEvent;
import dev.acp4j.trace.TraceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Recordings that a user asks for when a program is started, without a change of its code. */
@Timeout(60)
class RecordingsTest {
    private static final String FOLDER = "acp4j.trace";
    private static final String SECRETS = "acp4j.trace.secrets";

    @RegisterExtension
    private final Joined joined = new Joined();

    private final String folderBefore = System.getProperty(FOLDER, "");
    private final String secretsBefore = System.getProperty(SECRETS, "");

    @TempDir
    private Path folder;

    @BeforeEach
    void hideSecrets() {
        System.setProperty(SECRETS, "");
    }

    @AfterEach
    void recordAsBefore() {
        System.setProperty(FOLDER, folderBefore);
        System.setProperty(SECRETS, secretsBefore);
    }

    private void converse() throws Exception {
        try (ConnectedAgent agent = joined.join(Joined.agent(turn -> turn.message("Hello")), Joined.client());
                Session session = agent.newSession(Joined.HERE);
                Turn turn = session.prompt("my key is sk-abcdefghijklmnop1234")) {
            assertThat(turn.text()).isEqualTo("Hello");
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    @Test
    void eachEndOfAConnectionHasAFileOfItsOwn() throws Exception {
        System.setProperty(FOLDER, folder.resolve("new/traces").toString());

        converse();

        List<Path> files = files(folder.resolve("new/traces"));
        assertThat(files).hasSize(2);
        assertThat(files.getFirst().getFileName().toString())
                .startsWith("agent-")
                .endsWith(".trace.jsonl");
        assertThat(files.getLast().getFileName().toString()).startsWith("client-");
        assertThat(TraceFile.read(files.getLast()))
                .extracting(TraceEvent::method)
                .contains("initialize", "session/new", "session/prompt", "session/update");
        assertThat(Files.readString(files.getLast())).doesNotContain("sk-abc").contains("Hello");
    }

    @Test
    void secretsStayIfThatIsWanted() throws Exception {
        System.setProperty(FOLDER, folder.toString());
        System.setProperty(SECRETS, "keep");

        converse();

        assertThat(Files.readString(files(folder).getLast())).contains("sk-abc");
    }

    @Test
    void withoutAFolderNothingIsWritten() throws Exception {
        System.setProperty(FOLDER, "");

        converse();

        assertThat(files(folder)).isEmpty();
    }

    @Test
    void aFolderThatCannotBeMadeDisturbsNothing() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "kept");
        System.setProperty(FOLDER, file.toString());

        converse();

        assertThat(file).hasContent("kept");
    }
}
