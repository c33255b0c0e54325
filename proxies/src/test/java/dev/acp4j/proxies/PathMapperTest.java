package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PathMapperTest {
    private static final String VERSION_2 =
            ",\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{\"session\":{}}";

    private final List<String> notices = new ArrayList<>();

    private Between between(PathMapper.Builder builder, int version) throws Exception {
        return new Between(builder.onNotice(notices::add).build(), version, version == 1 ? "" : VERSION_2);
    }

    private static PathMapper.Builder container() {
        return PathMapper.builder().map("/home/me", "/home").map("/home/me/my project", "/work");
    }

    @Test
    @Tag("RMP-16")
    void pathsAndAddressesAreThoseOfTheOtherSideInBothDirections() throws Exception {
        try (Between between = between(container(), 1)) {
            assertThat(between.asked(
                            "session/new",
                            "{\"cwd\":\"/home/me/my project/a\",\"additionalDirectories\":[\"/home/me/b\"],\"x\":1.50,"
                                    + "\"mcpServers\":[{\"name\":\"m\",\"command\":\"/home/me/bin/m\",\"path\":\"/home/me\"}]}",
                            "{\"sessionId\":\"s\"}"))
                    .isEqualTo(
                            "{\"cwd\":\"/work/a\",\"additionalDirectories\":[\"/home/b\"],\"x\":1.50,"
                                    + "\"mcpServers\":[{\"name\":\"m\",\"command\":\"/home/me/bin/m\",\"path\":\"/home/me\"}]}");
            String link = "{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"See /home/me/my project.\"},"
                    + "{\"type\":\"resource_link\",\"name\":\"n\",\"uri\":\"%s\"},"
                    + "{\"type\":\"resource_link\",\"name\":\"n\",\"uri\":\"https://example.com/home/me\"}]}";
            assertThat(between.asked(
                            "session/prompt",
                            link.formatted("file:///home/me/my%20project/%C3%A9.md#L3"),
                            "{\"stopReason\":\"end_turn\"}"))
                    .isEqualTo(link.formatted("file:///work/%C3%A9.md#L3"));
            String call =
                    "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c\",\"title\":\"/work/t\",\"locations\":[{\"path\":\"%s\"}],"
                            + "\"content\":[{\"type\":\"diff\",\"path\":\"%s\",\"newText\":\"/work/n\"}],"
                            + "\"rawInput\":{\"path\":\"/work/i\"},\"_meta\":{\"cwd\":\"/work/m\"}}";
            between.update(call.formatted("/work/l", "/home/d"));
            assertThat(between.clientGets("session/update"))
                    .isEqualTo("{\"sessionId\":\"s\",\"update\":"
                            + call.formatted("/home/me/my project/l", "/home/me/d") + "}");
            between.agent.request(70, "fs/read_text_file", "{\"sessionId\":\"s\",\"path\":\"/work/r\"}");
            var read = between.client.expect("fs/read_text_file");
            assertThat(Between.params(read)).contains("\"/home/me/my project/r\"");
            between.client.answer(read, "{\"content\":\"/home/me\"}");
            assertThat(Between.text(between.agent.expectResult(70))).isEqualTo("{\"content\":\"/home/me\"}");
            between.client.request(71, "session/list", "{}");
            between.agent.answer(
                    between.agent.expect("session/list"), "{\"sessions\":[{\"sessionId\":\"s\",\"cwd\":\"/work\"}]}");
            assertThat(Between.text(between.client.expectResult(71)))
                    .isEqualTo("{\"sessions\":[{\"sessionId\":\"s\",\"cwd\":\"/home/me/my project\"}]}");
            String own = "{\"sessionId\":\"s\",\"path\":\"/home/me/my project\"}";
            assertThat(between.asked("_own", own, own)).isEqualTo(own);
        }
        assertThat(notices).isEmpty();
    }

    @Test
    @Tag("RMP-16")
    void drivesAndServersOfWindowsAreFoldersElsewhere() throws Exception {
        PathMapper.Builder wsl = PathMapper.builder().map("C:\\", "/mnt/c").map("\\\\wsl.localhost\\Debian", "/");
        try (Between between = between(wsl, 2)) {
            for (String[] pair : new String[][] {
                {"c:\\Users\\Me", "/mnt/c/Users/Me"},
                {"C:/Users/Me", "/mnt/c/Users/Me"},
                {"C:\\", "/mnt/c/"},
                {"\\\\WSL.localhost\\debian\\home\\me", "/home/me"}
            }) {
                assertThat(between.opened(pair[0]))
                        .contains(RawJson.string(pair[1]).toString());
            }
            between.update(
                    "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\",\"content\":[{\"type\":\"diff\",\"changes\":["
                            + "{\"operation\":\"move\",\"oldPath\":\"/mnt/c/a/b\",\"path\":\"/etc/c\"}]},"
                            + "{\"type\":\"content\",\"content\":{\"type\":\"resource_link\",\"name\":\"n\",\"uri\":\"file:///mnt/c/a%20b\"}}]}");
            assertThat(between.clientGets("session/update"))
                    .contains(
                            "\"oldPath\":\"C:\\\\a\\\\b\",\"path\":\"\\\\\\\\wsl.localhost\\\\Debian\\\\etc\\\\c\"",
                            "\"file:///C:/a%20b\"");
        }
    }

    @Test
    @Tag("RMP-16")
    void thereAndBackIsTheSamePath() throws Exception {
        Random random = new Random(16);
        String lists = Stream.generate(() ->
                        list(Stream.generate(() -> path(random)).limit(250).toList()))
                .limit(40)
                .map(list -> "{\"additionalDirectories\":" + list + "}")
                .collect(Collectors.joining(",", "[", "]"));
        for (PathMapper.Builder builder : List.of(
                container(),
                PathMapper.builder().map("\\\\s\\Share", "/home"),
                PathMapper.builder().map("D:\\x y", "/home").map("C:\\", "/"))) {
            try (Between between = between(builder, 1)) {
                between.update("{\"sessionUpdate\":\"own\",\"all\":" + lists + "}");
                String there = between.clientGets("session/update");
                String same = there.substring(there.indexOf('['), there.lastIndexOf(']') + 1);
                assertThat(same).doesNotContain("\"/home/a/");

                assertThat(between.asked("session/list", "{\"all\":" + same + "}", "{}"))
                        .isEqualTo("{\"all\":" + lists + "}");
            }
        }
        assertThat(notices).isEmpty();
    }

    private static String path(Random random) {
        String names = random.ints(1 + random.nextInt(4), 0, 5)
                .mapToObj(kind -> List.of("a", "b c", "é%20", "me", "My+#?").get(kind))
                .collect(Collectors.joining("/"));
        return "/home/" + names + (random.nextBoolean() ? "" : "/");
    }

    private static String list(List<String> paths) {
        return paths.stream().map(path -> RawJson.string(path).toString()).collect(Collectors.joining(",", "[", "]"));
    }

    @Test
    @Tag("RMP-16")
    void aPathOutsideOfTheFoldersIsRefusedOrPassesAsSetAndIsSaid() throws Exception {
        PathMapper.Builder one = PathMapper.builder().map("/a/b", "/work");
        try (Between between = between(one, 1)) {
            List<String> all = List.of(
                    "/work/../etc/passwd",
                    "/workshop",
                    "/etc/passwd",
                    "/etc/passwd",
                    "../../etc/passwd",
                    "\\Windows\\x");
            for (String outside : all) {
                assertThat(refused(between, "{\"sessionId\":\"s\",\"path\":" + RawJson.string(outside) + "}"))
                        .contains("-32602", " is outside of the folders");
            }
            assertThat(notices).hasSize(5).last().asString().startsWith("\\Windows\\x is outside");
            for (String separator : List.of("%2F..%2F..%2Fetc%2Fpasswd", "%5c..%5c..%5Cx", "%00")) {
                assertThat(refused(between, "{\"sessionId\":\"s\",\"uri\":\"file:///work/x" + separator + "\"}"))
                        .contains("-32602", "file:///work/x" + separator + " is outside of the folders");
            }
            assertThat(notices).hasSize(8);
            notices.clear();
            String call =
                    "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c\",\"title\":\"t\",\"locations\":[{\"path\":\"/usr/x.h\"},{\"path\":\"relative\"}]}";
            between.update(call);
            assertThat(between.clientGets("session/update")).contains(call);
            assertThat(notices)
                    .containsExactly(
                            "/usr/x.h is outside of the folders that both sides have.",
                            "relative is outside of the folders that both sides have.");
            String link =
                    "{\"sessionUpdate\":\"own\",\"content\":{\"type\":\"resource_link\",\"name\":\"n\",\"uri\":\"file:///work/y%2F..%2Fz\"}}";
            between.update(link);
            assertThat(between.clientGets("session/update")).contains(link);
            assertThat(notices).hasSize(3);
        }
        try (Between between = between(PathMapper.builder().map("/a/b", "/work").passOutside(), 1)) {
            assertThat(between.opened("/a/bc")).contains("\"/a/bc\"");
            assertThat(between.opened("bc")).contains("\"bc\"");
        }
        assertThat(notices).hasSize(5);
        assertThatThrownBy(() -> PathMapper.builder().map("work", "/a")).hasMessageContaining("got work");
    }

    private static String refused(Between between, String params) throws Exception {
        between.agent.request(80, "fs/read_text_file", params);
        return Between.text(between.agent.expectError(80));
    }

    @Test
    @Tag("RMP-16")
    void noMemberOfTheProtocolIsForgotten() throws Exception {
        Pattern component = Pattern.compile("(?:String|List<String>) (\\w+)[,)\\n]");
        Pattern name = Pattern.compile("(?i).*(path|uri|url|cwd|director|folder|root|file).*");
        TreeSet<String> found = new TreeSet<>();
        for (String sources : List.of("../core/src/main/java/dev/acp4j/schema", "../nes/src/main/java/dev/acp4j/nes")) {
            try (Stream<Path> files = Files.list(Path.of(sources))) {
                for (Path file :
                        files.filter(file -> file.toString().endsWith(".java")).toList()) {
                    Matcher matcher = component.matcher(Files.readString(file));
                    while (matcher.find()) {
                        if (name.matcher(matcher.group(1)).matches()) {
                            found.add(matcher.group(1));
                        }
                    }
                }
            }
        }

        // Addresses of web pages, servers, providers and repositories are no files.
        assertThat(found)
                .containsExactly(
                        "additionalDirectories",
                        "baseUrl",
                        "cwd",
                        "oldPath",
                        "path",
                        "remoteUrl",
                        "uri",
                        "url",
                        "workspaceUri");
    }
}
