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
                        "    - member oldText: type=string",
                        "    + member patch: DiffPatch",
                        "    ~ member path: required type=string  ->  type=string");
    }

    @Test
    void variantsAndValuesAreNamedByTheirConstants() {
        String before = "\"ToolKind\":{\"oneOf\":[{\"type\":\"string\",\"const\":\"read\",\"description\":\"r\"}]}";
        String after = "\"ToolKind\":{\"oneOf\":[{\"type\":\"string\",\"const\":\"read\"},"
                + "{\"type\":\"string\",\"const\":\"sing\"}]}";

        assertThat(diff(before, after))
                .containsExactly("~ ToolKind  (ToolKind)", "    + one of sing: {type=string, const=sing}");
    }

    @Test
    void definitionsThatComeOrGoAreToldFromThoseThatChange() {
        assertThat(diff("\"Old\":{\"type\":\"string\"}", "\"New\":{\"type\":\"string\"}"))
                .containsExactly("+ New  (no type)", "    + type: string", "- Old  (no type)", "    - type: string");
    }

    @Test
    void textsForPeopleMakeNoDifference() {
        assertThat(diff("\"A\":{\"type\":\"string\",\"description\":\"a\"}", "\"A\":{\"type\":\"string\"}"))
                .isEmpty();
    }
}
