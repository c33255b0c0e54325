package dev.acp4j.cli.editors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonSpliceTest {
    private static final JsonMapper JACKSON = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS, JsonReadFeature.ALLOW_TRAILING_COMMA)
            .build();

    private static final AgentMembers ZED = new AgentMembers("agent_servers", AgentForm.TYPED, false, false);
    private static final AgentEntry ENTRY =
            new AgentEntry("Echo \"1\"", "/opt/a b/acp", List.of("agent", "--x=\\ü"), Map.of("MODE", "fast"));

    @Test
    @Tag("EDT-02")
    void onlyTheEntryChangesInAThousandFilesWithComments() throws Exception {
        int exact = 0;
        for (int seed = 0; seed < 1_000; seed++) {
            String before = new CommentedSettings(seed, seed % 10 == 0).file("agent_servers");

            String with = ZED.with(before, ENTRY);

            ObjectNode expected = (ObjectNode) parsed(before);
            expected.withObject("/agent_servers").set(ENTRY.name(), agent());
            assertThat(parsed(with)).as(before).isEqualTo(expected);
            assertThat(isBetween(before, with)).as("%s%n---%n%s", before, with).isTrue();
            assertThat(ZED.with(with, ENTRY)).isEqualTo(with);
            String without = ZED.without(with, ENTRY.name());
            assertThat(parsed(without)).as(with).isEqualTo(withEmptyAgents(before));
            if (!isAgentsEmpty(before)) {
                assertThat(without).isEqualTo(before);
                exact++;
            }
        }
        assertThat(exact).isGreaterThan(200);
    }

    @Test
    @Tag("EDT-02")
    void anyMemberCanBeTakenOutAndTheRestStays() throws Exception {
        for (int seed = 0; seed < 1_000; seed++) {
            String before = new CommentedSettings(seed, false).file("agent_servers");
            dev.acp4j.cli.editors.JsonNode root = Objects.requireNonNull(JsonScanner.scan(before, false));
            for (dev.acp4j.cli.editors.JsonNode.Item item : root.items()) {
                String without = new JsonSplice(before, root).remove(root, item);

                ObjectNode expected = (ObjectNode) parsed(before);
                expected.remove(item.name());
                assertThat(parsed(without))
                        .as("%s%n---%n%s", before, item.name())
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    @Tag("EDT-02")
    void replacingAValueKeepsWhatTheUserHasAddedToTheAgent() throws Exception {
        String before = """
                {
                  "agent_servers": {
                    // mine
                    "Echo \\"1\\"": {
                      "type": "custom", // needed
                      "command": "/old",
                      "default_mode": "ask" /* always */
                    }
                  }
                }""";

        assertThat(ZED.with(before, ENTRY)).isEqualTo("""
                {
                  "agent_servers": {
                    // mine
                    "Echo \\"1\\"": {
                      "type": "custom", // needed
                      "command": "/opt/a b/acp",
                      "default_mode": "ask", /* always */
                      "args": ["agent", "--x=\\\\ü"],
                      "env": {
                        "MODE": "fast"
                      }
                    }
                  }
                }""");
    }

    @ParameterizedTest
    @Tag("EDT-04")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"a\": 1 \"b\": 2}|line 1, column 9: expected ',' or '}', found '\"'",
                "{\"a\": tru}|line 1, column 7: expected a value, found 'tru'",
                "{\"a\": \"x|line 1, column 9: a string is not closed",
                "{\"a\": \"\\q\"}|line 1, column 9: unknown escape in a string",
                "{\"a\": 01}|line 1, column 7: expected a value, found '01'",
                "{a: 1}|line 1, column 2: expected a name in quotes, found 'a'",
                "{\"a\" 1}|line 1, column 6: expected ':', found '1'",
                "{} x|line 1, column 4: expected the end of the file, found 'x'",
                "{\"a\": /* 1}|line 1, column 7: a comment is not closed",
                "{\"a\": / 1}|line 1, column 7: unexpected '/'",
                "[]|line 1, column 1: expected an object",
                "{\"agent_servers\": []}|line 1, column 19: expected an object as \"agent_servers\"",
                "{\"😀\": !}|line 1, column 7: expected a value, found '!'",
            })
    void whatIsNoSettingsIsRefusedWithItsPlace(String text, String problem) {
        assertThatThrownBy(() -> ZED.with(text, ENTRY))
                .isInstanceOf(UnreadableTextException.class)
                .hasMessage(problem);
    }

    @Test
    @Tag("EDT-04")
    void linesAreCountedAsEditorsCountThem() {
        assertThatThrownBy(() -> ZED.with("{\r\n\"a\": 1,\n\n  \"b\" 2}", ENTRY))
                .hasMessage("line 4, column 7: expected ':', found '2'");
    }

    @Test
    void editorsWithoutCommentsGetNone() {
        AgentMembers strict = new AgentMembers("agents", AgentForm.COMMAND, true, false);

        assertThatThrownBy(() -> strict.with("{ // x\n}", ENTRY))
                .hasMessage("line 1, column 3: comments are not allowed in this file");
        assertThatThrownBy(() -> strict.with("{\"a\": 1,}", ENTRY))
                .hasMessage("line 1, column 9: expected a value after the comma, found '}'");
    }

    private static JsonNode parsed(String text) throws Exception {
        return JACKSON.readTree(text.startsWith("\ufeff") ? text.substring(1) : text);
    }

    private static ObjectNode agent() {
        ObjectNode agent = JACKSON.createObjectNode().put("type", "custom").put("command", ENTRY.command());
        ENTRY.args().forEach(agent.putArray("args")::add);
        agent.putObject("env").put("MODE", "fast");
        return agent;
    }

    private static JsonNode withEmptyAgents(String before) throws Exception {
        ObjectNode expected = (ObjectNode) parsed(before);
        if (!expected.has("agent_servers")) {
            expected.putObject("agent_servers");
        }
        return expected;
    }

    private static boolean isAgentsEmpty(String before) throws Exception {
        return parsed(before).path("agent_servers").isEmpty();
    }

    /** Whether a text is the other with a comma and one more piece put in; space between brackets may have gone. */
    private static boolean isBetween(String before, String with) {
        int head = 0;
        while (head < before.length() && before.charAt(head) == with.charAt(head)) {
            head++;
        }
        int tail = 0;
        while (tail < before.length() - head
                && before.charAt(before.length() - 1 - tail) == with.charAt(with.length() - 1 - tail)) {
            tail++;
        }
        String between = before.substring(head, before.length() - tail);
        return between.isBlank() || with.substring(head).startsWith("," + between);
    }
}
