package dev.acp4j.cli.sessions;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.KeepingAgent;
import dev.acp4j.cli.TerminalRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
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

    /** Keeps four sessions: of 40 days ago, of 10 days ago in another folder, of now, and without a date. */
    private Path fourSessions() throws Exception {
        Path other = Files.createDirectory(temp.resolve("other")).toRealPath();
        session("a", "of spring", work, Instant.now().minus(Duration.ofDays(40)));
        session("b", "of autumn", other, Instant.now().minus(Duration.ofDays(10)));
        session("c", "of today", work, Instant.now());
        session("d", "of no day", work, Instant.EPOCH);
        return other;
    }

    private void session(String id, String title, Path cwd, Instant used) throws Exception {
        Path file = Files.writeString(kept.resolve(id), cwd + "\n" + title + "\n");
        Files.setLastModifiedTime(file, FileTime.from(used));
    }

    @Test
    void oldSessionsAreDeletedAndThoseWithoutADateAreNamed() throws Exception {
        Path other = fourSessions();

        AcpRun old = keeping("list delete", "sessions", "delete", "--older-than", "1w", "--cwd", ".", "--yes");
        AcpRun json = keeping("list delete", "sessions", "delete", "--older-than", "24h", "--yes", "--json");
        AcpRun none = keeping("list delete", "sessions", "delete", "--older-than", "1d", "--yes");

        assertThat(old.exitCode()).isZero();
        assertThat(old.lines()).hasSize(2).last().isEqualTo("    of spring  " + work);
        assertThat(old.err()).isEqualTo("Kept, because the agent gives no date: d (of no day)\nDeleted 1 session.\n");
        assertThat(json.lines())
                .singleElement()
                .asString()
                .startsWith("{\"sessionId\":\"b\",\"cwd\":\"" + other + "\",\"title\":\"of autumn\"");
        assertThat(none.err()).endsWith("There are no sessions that old.\n");
        assertThat(kept).isDirectoryContaining("glob:**/c").isDirectoryContaining("glob:**/d");
        assertThat(kept.toFile().list()).hasSize(2);
    }

    @Test
    void withoutATerminalOldSessionsAreListedAndKept() throws Exception {
        fourSessions();

        AcpRun run = keeping("list delete", "sessions", "delete", "--older-than", "30d");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).contains("of spring").doesNotContain("of autumn");
        assertThat(run.err()).endsWith("acp: nothing is deleted: there is no terminal to ask for consent; add --yes\n");
        assertThat(kept.toFile().list()).hasSize(4);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void atATerminalTheUserIsAsked() throws Exception {
        fourSessions();
        List<String> command = new ArrayList<>(List.of("sessions", "delete", "--older-than", "1d", "--"));
        command.addAll(AcpRun.java(KeepingAgent.class));
        command.addAll(List.of(kept.toString(), "list", "delete"));

        try (TerminalRun run = TerminalRun.alone(temp, command.toArray(String[]::new))) {
            run.await("of autumn").await("of spring").await("Delete 2 sessions? (y or n) ");
            run.press("n\n").await("Nothing is deleted.");
            assertThat(run.end()).isZero();
        }
        assertThat(kept.toFile().list()).hasSize(4);

        try (TerminalRun run = TerminalRun.alone(temp, command.toArray(String[]::new))) {
            run.await("Delete 2 sessions? (y or n) ").press("y\n").await("Deleted 2 sessions.");
            assertThat(run.end()).isZero();
        }
        assertThat(kept.toFile().list()).containsExactlyInAnyOrder("c", "d");
    }

    @Test
    void aSessionThatTheAgentDoesNotDeleteDoesNotKeepTheOthers() throws Exception {
        session("a", "locked", work, Instant.now().minus(Duration.ofDays(2)));
        session("b", "of autumn", work, Instant.now().minus(Duration.ofDays(3)));

        AcpRun run = keeping("list delete", "sessions", "delete", "--older-than", "1d", "--yes");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).isEqualTo("""
                        Deleted 1 session.
                        acp: the agent has not deleted 1 session
                          a (locked): it is locked (-32600)
                        """);
        assertThat(kept.toFile().list()).containsExactly("a");
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
        assertThat(keeping("list", "sessions", "delete", "--older-than", "30").err())
                .contains("expected an age such as 12h, 30d or 4w, got '30'");
        assertThat(keeping("list", "sessions", "delete", "x", "--older-than", "30d")
                        .err())
                .isEqualTo("acp: delete takes the id of a session or --older-than, not both\n");
        assertThat(keeping("list", "sessions", "delete", "x", "--yes").err()).contains("--yes is for --older-than");
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
