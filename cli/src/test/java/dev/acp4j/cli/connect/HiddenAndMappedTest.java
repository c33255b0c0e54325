package dev.acp4j.cli.connect;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.AcpRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code acp connect} changes in messages: what is offered, and paths. The agent is a script that keeps all. */
@Timeout(120)
class HiddenAndMappedTest {
    private static final String AGENT = """
            #!/bin/sh
            cd "$(dirname "$0")"
            id() { printf '%s' "$line" | sed 's/.*"id":\\("[^"]*"\\|[0-9]*\\).*/\\1/'; }
            say() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$(id)" "$1"; }
            while IFS= read -r line; do
              printf '%s\\n' "$line" >>received
              case "$line" in
                *'"initialize"'*) say "$(cat initialized)" ;;
                *'"session/new"'*) say '{"sessionId":"s1"}' ;;
                *'"session/prompt"'*) cat updates; say '{"stopReason":"end_turn"}' ;;
              esac
            done
            """;

    @TempDir
    private Path folder;

    @BeforeEach
    void prepare() throws Exception {
        executable("agent", AGENT);
        executable("ssh", "#!/bin/sh\nfor last; do :; done\nSHELL=/bin/sh; export SHELL\nexec sh -c \"$last\"\n");
        Files.writeString(folder.resolve("updates"), "");
        speaks(1);
    }

    private void executable(String name, String text) throws Exception {
        Path file = Files.writeString(folder.resolve(name), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private void speaks(int version) throws Exception {
        Files.writeString(
                folder.resolve("initialized"),
                version == 1
                        ? "{\"protocolVersion\":1,\"agentCapabilities\":{}}"
                        : "{\"protocolVersion\":2,\"capabilities\":{\"session\":{}},\"info\":{\"name\":\"a\",\"version\":\"1\"}}");
    }

    private AcpRun.Builder connect(String... options) {
        List<String> words = new ArrayList<>(List.of("connect", "-v"));
        words.addAll(Arrays.asList(options));
        words.add("ssh://build.example/" + folder.resolve("agent"));
        return acp(words.toArray(String[]::new)).env("PATH", folder + ":" + System.getenv("PATH"));
    }

    private String received(String method) throws Exception {
        return Files.readAllLines(folder.resolve("received")).stream()
                .filter(line -> line.contains("\"" + method + "\""))
                .findFirst()
                .orElseThrow();
    }

    private static final String OFFERS = "{\"fs\":{\"readTextFile\":true,\"writeTextFile\":true},\"terminal\":true,"
            + "\"_meta\":{\"terminal\":true}}";

    @Test
    @Tag("CNX-22")
    void filesAndTerminalsAreHiddenAndThatIsSaid() throws Exception {
        try (RawEditor editor = new RawEditor(connect())) {
            String unused = editor.open(OFFERS);
            assertThat(editor.end()).isZero();

            assertThat(received("initialize")).contains("\"clientCapabilities\":{\"_meta\":{\"terminal\":true}}");
            assertThat(editor.err)
                    .anyMatch(line -> line.contains("files of the editor are not offered"))
                    .anyMatch(line -> line.contains("terminals of the editor are not offered"));
        }
    }

    @Test
    @Tag("CNX-22")
    void filesAndTerminalsAreHiddenInVersion2() throws Exception {
        speaks(2);
        try (RawEditor editor = new RawEditor(connect())) {
            editor.request(
                    "init",
                    "initialize",
                    "{\"protocolVersion\":2,\"capabilities\":" + OFFERS
                            + ",\"info\":{\"name\":\"e\",\"version\":\"1\"}}");
            editor.await("\"init\"");
            assertThat(editor.end()).isZero();

            assertThat(received("initialize")).contains("\"capabilities\":{\"_meta\":{\"terminal\":true}}");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"files", "terminals", "files,terminals"})
    @Tag("CNX-22")
    void whatIsAskedForIsOffered(String offer) throws Exception {
        try (RawEditor editor = new RawEditor(connect("--offer", offer))) {
            String unused = editor.open(OFFERS);
            assertThat(editor.end()).isZero();
        }

        String initialize = received("initialize");
        assertThat(initialize.contains("\"fs\":{\"readTextFile\":true,\"writeTextFile\":true}"))
                .isEqualTo(offer.contains("files"));
        assertThat(initialize.contains("\"terminal\":true,\"_meta\"")).isEqualTo(offer.contains("terminals"));
        AcpRun misuse =
                acp("connect", "--offer", "keys", "ssh://build.example/agent").run();
        assertThat(misuse.exitCode()).isEqualTo(2);
    }

    /** A path below a folder, with letters that paths may have. */
    private static String path(Random random, String root) {
        StringBuilder path = new StringBuilder(root);
        for (int i = random.nextInt(4); i >= 0; i--) {
            path.append('/')
                    .append(List.of("src", "a b", "é", "x.java", "home", "srv").get(random.nextInt(6)));
        }
        return path.toString();
    }

    private static String update(int version, String title, String path) {
        return "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s1\",\"update\":"
                + "{\"sessionUpdate\":\"" + (version == 1 ? "tool_call" : "tool_call_update")
                + "\",\"toolCallId\":\"" + title.length() + "\",\"title\":\"" + title + "\",\"locations\":[{\"path\":\""
                + path + "\",\"line\":7}],\"rawInput\":{\"path\":\"" + title + "\"},\"unknown\":{\"folder\":\"" + title
                + "\",\"n\":1.50},\"content\":[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"see "
                + title
                + "\"}}]}}}";
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Tag("CNX-21")
    void pathsAreThoseOfTheOtherSideAndNothingElseIsTouched(int version) throws Exception {
        speaks(version);
        Random random = new Random(21);
        List<String> sent = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            String title = path(random, random.nextBoolean() ? "/srv/project" : "/home/me/project");
            String remote = path(random, "/srv/project");
            sent.add(update(version, title, remote));
            expected.add(update(version, title, remote.replaceFirst("^/srv/project", "/home/me/project")));
        }
        Files.write(folder.resolve("updates"), sent);
        String prompt = "{\"sessionId\":\"s1\",\"prompt\":[{\"type\":\"text\",\"text\":\"/home/me/project/a\"},"
                + "{\"type\":\"resource_link\",\"name\":\"/home/me/project/b\",\"uri\":\"file://%s/b%%20c\"}]}";
        try (RawEditor editor = new RawEditor(connect("--map", "/home/me/project=/srv/project"))) {
            editor.request(
                    "init",
                    "initialize",
                    version == 1
                            ? "{\"protocolVersion\":1,\"clientCapabilities\":{}}"
                            : "{\"protocolVersion\":2,\"capabilities\":{},\"info\":{\"name\":\"e\",\"version\":\"1\"}}");
            editor.await("\"init\"");
            assertThat(editor.newSession("/home/me/project/sub")).isEqualTo("s1");
            editor.request("turn", "session/prompt", prompt.formatted("/home/me/project"));
            editor.await("\"turn\"");
            assertThat(editor.end()).isZero();

            assertThat(editor.out).containsSubsequence(expected).hasSize(expected.size() + 3);
        }

        assertThat(received("session/new")).contains("\"cwd\":\"/srv/project/sub\"");
        assertThat(received("session/prompt")).contains(prompt.formatted("/srv/project"));
    }
}
