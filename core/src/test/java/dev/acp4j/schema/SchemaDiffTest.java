package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.JsonValue;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a release of the schema changes. */
final class SchemaDiffTest {
    private static List<String> diff(String before, String after) {
        return new SchemaDiff(schema(before), schema(after)).lines();
    }

    private static JsonValue schema(String definitions) {
        return JsonValue.parse("{\"$defs\":{" + definitions + "}}");
    }

    @Test
    void membersThatComeGoOrChangeAreNamedWithTheTypeTheyBelongTo() {
        String before = "\"Diff\":{\"type\":\"object\",\"description\":\"old\",\"required\":[\"path\"],\"properties\":{"
                + "\"path\":{\"type\":\"string\"},\"oldText\":{\"type\":\"string\",\"description\":\"x\"}}}";
        String after = "\"Diff\":{\"type\":\"object\",\"description\":\"new\",\"properties\":{"
                + "\"path\":{\"type\":\"string\",\"description\":\"y\"},\"patch\":{\"$ref\":\"#/$defs/DiffPatch\"}}}";

        assertThat(diff(before, after))
                .containsExactly(
                        "~ Diff  (ToolCallContent.Diff)",
                        "    - member oldText: string",
                        "    + member patch: DiffPatch",
                        "    ~ member path: required string  ->  string");
    }

    @Test
    void variantsAndValuesAreNamedByTheirConstants() {
        String before = "\"ToolKind\":{\"oneOf\":[{\"type\":\"string\",\"const\":\"read\",\"description\":\"r\"}]}";
        String after = "\"ToolKind\":{\"oneOf\":[{\"type\":\"string\",\"const\":\"read\"},"
                + "{\"type\":\"string\",\"const\":\"sing\"}]}";

        assertThat(diff(before, after))
                .containsExactly("~ ToolKind  (ToolKind)", "    + one of sing: string const=sing");
    }

    @Test
    void definitionsThatComeOrGoAreToldFromThoseThatChange() {
        assertThat(diff("\"Old\":{\"type\":\"string\"}", "\"New\":{\"type\":\"string\"}"))
                .containsExactly(
                        "+ New  (no type yet)", "    + type: string", "- Old  (no type yet)", "    - type: string");
    }

    @Test
    void memberIsShownWithWhatItMayBeAndWhetherItIsForgiven() {
        String before = "\"SessionInfo\":{\"type\":\"object\",\"properties\":{}}";
        String after = "\"SessionInfo\":{\"type\":\"object\",\"properties\":{"
                + "\"archived\":{\"type\":[\"boolean\",\"null\"],\"x-deserialize-default-on-error\":true},"
                + "\"owner\":{\"anyOf\":[{\"$ref\":\"#/$defs/Owner\"},{\"type\":\"null\"}]},"
                + "\"tags\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}";

        assertThat(diff(before, after))
                .containsExactly(
                        "~ SessionInfo  (SessionInfo)",
                        "    + member archived: boolean? lenient",
                        "    + member owner: Owner?",
                        "    + member tags: array of string");
    }

    @Test
    void variantIsShownWithItsMembersAndWithoutWhatItIsNot() {
        String variant = "{\"type\":\"object\",\"required\":[\"type\"],\"properties\":{"
                + "\"type\":{\"type\":\"string\",\"const\":\"song\"},\"tune\":{\"type\":\"string\"}}}";
        String other = "{\"title\":\"other\",\"type\":\"object\",\"not\":{\"anyOf\":[%s]}}";
        String before = "\"McpServer\":{\"anyOf\":[" + other.formatted("") + "]}";
        String after = "\"McpServer\":{\"anyOf\":[" + variant + "," + other.formatted(variant) + "]}";

        assertThat(diff(before, after))
                .containsExactly("~ McpServer  (McpServer)", "    + one of song: object (member tune: string)");
    }

    @Test
    void methodIsShownWithTheSideThatHandlesIt() {
        assertThat(diff("", "\"SingRequest\":{\"type\":\"object\",\"x-side\":\"agent\",\"x-method\":\"session/sing\"}"))
                .containsExactly("+ SingRequest  (no type yet)", "    + method: agent session/sing");
    }

    @Test
    void definitionThatNeedsNoTypeIsNamedWithTheReason() {
        String before = "\"AgentRequest\":{\"type\":\"object\"}";
        String after = "\"AgentRequest\":{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"}}}";

        assertThat(diff(before, after))
                .containsExactly("~ AgentRequest  (no type: JSON-RPC is read and written by dev.acp4j.rpc)");
    }

    @Test
    void textsForPeopleMakeNoDifference() {
        assertThat(diff("\"A\":{\"type\":\"string\",\"description\":\"a\"}", "\"A\":{\"type\":\"string\"}"))
                .isEmpty();
    }
}
