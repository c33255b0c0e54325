package dev.acp4j.cli.sessions;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.KeepingAgent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class SessionsCommandTest {
    @TempDir
    Path temp;

    private Path work;
    private Path kept;

    @BeforeEach
    void makeFolders() throws Exception {
        work = Files.createDirectory(temp.resolve("work")).toRealPath();
        kept = Files.createDirectory(temp.resolve("kept"));
    }

    private AcpRun keeping(String offers, String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--");
        all.addAll(AcpRun.java(KeepingAgent.class));
        all.add(kept.toString());
        all.addAll(List.of(offers.split(" ")));
        return acp(all.toArray(String[]::new))
                .env("XDG_STATE_HOME", temp.resolve("state").toString())
                .in(work)
                .run();
    }

    @Test
    void sessionsAreListedForPeopleAndPrograms() throws Exception {
        Path other = Files.createDirectory(temp.resolve("other")).toRealPath();
        keeping("list", "prompt", "one");
        keeping("list", "prompt", "--cwd", other.toString(), "two");

        AcpRun all = keeping("list", "sessions");
        AcpRun here = keeping("list", "sessions", "list", "--cwd", ".", "--json");

        assertThat(all.exitCode()).isZero();
        assertThat(all.lines()).hasSize(4);
        assertThat(all.lines().get(0)).startsWith("kept-2-kept  ");
        assertThat(all.lines().get(1)).isEqualTo("    two  " + other);
        assertThat(here.lines())
                .singleElement()
                .asString()
                .startsWith(
                        "{\"sessionId\":\"kept-1-kept\",\"cwd\":\"" + work + "\",\"title\":\"one\",\"updatedAt\":\"");
    }

    @Test
    void aConversationIsShown() {
        keeping("list load", "prompt", "one");

        AcpRun shown = keeping("list load", "sessions", "show", "kept-1");
        AcpRun json = keeping("list load", "sessions", "show", "kept-1-kept", "--json");

        assertThat(shown.exitCode()).isZero();
        assertThat(shown.out()).containsSubsequence("› one", "An answer to one");
        assertThat(json.lines())
                .satisfiesExactly(
                        line -> assertThat(line)
                                .startsWith("{\"type\":\"user_message\"")
                                .contains("one"),
                        line -> assertThat(line)
                                .startsWith("{\"type\":\"message\"")
                                .contains("An answer to one"));
    }

    @Test
    void aSessionIsDeleted() {
        keeping("list delete", "prompt", "one");

        AcpRun deleted = keeping("list delete", "sessions", "delete", "kept-1");
        AcpRun again = keeping("list delete", "sessions", "delete", "kept-1");

        assertThat(deleted.exitCode()).isZero();
        assertThat(deleted.err()).isEqualTo("Deleted kept-1-kept (one).\n");
        assertThat(kept).isEmptyDirectory();
        assertThat(again.exitCode()).isEqualTo(2);
        assertThat(again.err()).isEqualTo("acp: there is no session kept-1; 'acp sessions' lists them\n");
    }

    @Test
    void whatTheAgentDoesNotOfferIsNamed() {
        assertThat(keeping("load", "sessions"))
                .isEqualTo(new AcpRun(
                        8,
                        "",
                        "acp: the agent does not offer listing sessions (the capability sessionCapabilities.list)\n"));
        assertThat(keeping("list", "sessions", "show", "x").err()).contains("(the capability loadSession)");
        assertThat(keeping("list", "sessions", "delete", "x").exitCode()).isEqualTo(8);
        assertThat(keeping("list", "sessions", "close", "x").err())
                .contains("does not offer closing sessions (the capability sessionCapabilities.close)");
    }

    @Test
    void aWrongCommandLineIsReported() {
        assertThat(keeping("list", "sessions", "show").err())
                .isEqualTo("acp: the id of a session is missing; 'acp sessions' lists them\n");
        assertThat(keeping("list", "sessions", "purge", "x").err())
                .contains("expected list, show, delete or close, got 'purge'");
    }

    @Test
    void modelsAreListedInTheirGroupsAndTheSessionForThatIsDeleted() {
        AcpRun models = keeping("models list delete", "models");
        AcpRun json = keeping("models", "models", "--json");
        AcpRun none = keeping("list", "models");

        assertThat(models.out()).isEqualTo("""
                Small
                * fast  Fast 1
                Large
                  opus-4  Opus
                  deep    Deep thought
                """);
        assertThat(json.lines())
                .first()
                .isEqualTo("{\"value\":\"fast\",\"name\":\"Fast 1\",\"group\":\"Small\",\"current\":true}");
        assertThat(json.lines()).hasSize(3);
        assertThat(none).isEqualTo(new AcpRun(8, "", "acp: this agent offers no models\n"));
        assertThat(kept).isEmptyDirectory();
    }
}
