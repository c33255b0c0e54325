package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is accepted without the library of schemas is what the library accepts. */
@Tag("MCX-26")
class PlainSchemaTest {
    private static final List<String> TYPES =
            List.of("object", "array", "string", "boolean", "null", "number", "integer");

    /** With a seed, so that a failure comes again. */
    private final Random random = new Random(20_26);

    @Test
    void plainSchemasAcceptWhatTheLibraryAccepts() {
        int accepted = 0;
        for (int i = 0; i < 400; i++) {
            String text = schema(3);
            JsonValue schema = RawJson.parse(text).value();
            assertThat(PlainSchema.isPlain(schema)).as(text).isTrue();
            ArgumentCheck library = ArgumentCheck.byLibrary(schema);
            for (int j = 0; j < 20; j++) {
                RawJson value = RawJson.parse(value(3));
                boolean accepts = PlainSchema.accepts(schema, value.value());
                accepted += accepts ? 1 : 0;
                assertThat(library.problems(value).isEmpty())
                        .as("%s of %s", value, text)
                        .isEqualTo(accepts);
            }
        }
        assertThat(accepted).isBetween(500, 7500);
    }

    private String schema(int levels) {
        StringBuilder schema = new StringBuilder("{\"description\":\"x\"");
        if (random.nextInt(3) > 0) {
            schema.append(",\"type\":\"").append(oneOf(TYPES)).append('"');
        }
        if (random.nextInt(8) == 0) {
            schema.append(",\"enum\":[\"a\",\"b\"]");
        }
        if (levels > 0) {
            schema.append(",\"properties\":{\"a\":").append(schema(levels - 1)).append('}');
            schema.append(",\"items\":").append(schema(levels - 1));
            schema.append(random.nextInt(3) == 0 ? ",\"required\":[\"a\"]" : ",\"required\":[]");
            schema.append(random.nextInt(3) == 0 ? ",\"additionalProperties\":false" : "");
        }
        return schema.append('}').toString();
    }

    private String value(int levels) {
        List<String> simple = List.of("\"a\"", "\"c\"", "true", "null", "1", "-7", "1.5", "0");
        if (levels == 0) {
            return oneOf(simple);
        }
        return switch (random.nextInt(4)) {
            case 0 -> "[" + value(levels - 1) + "," + value(levels - 1) + "]";
            case 1 -> "{\"a\":" + value(levels - 1) + "}";
            case 2 -> "{\"b\":" + value(levels - 1) + "}";
            default -> oneOf(simple);
        };
    }

    private String oneOf(List<String> all) {
        return all.get(random.nextInt(all.size()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"text\"}",
                "{\"type\":[\"string\",\"null\"]}",
                "{\"type\":\"string\",\"minLength\":1}",
                "{\"properties\":[]}",
                "{\"properties\":{\"a\":true}}",
                "{\"properties\":{\"a\":{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"}}}",
                "{\"required\":[\"a\",\"a\"]}",
                "{\"enum\":[1]}",
                "{\"items\":[{}]}",
                "{\"additionalProperties\":{}}",
                "{\"title\":1}",
                "{\"$ref\":\"#\"}",
                "{\"$schema\":\"http://json-schema.org/draft-04/schema#\"}",
                "true"
            })
    void whatSaysMoreOrIsNoSchemaIsForTheLibrary(String schema) {
        assertThat(PlainSchema.isPlain(RawJson.parse(schema).value())).isFalse();
    }

    @Test
    void aWholeNumberThatIsWrittenOtherwiseIsForTheLibrary() {
        RawJson schema = RawJson.parse("{\"type\":\"integer\"}");

        assertThat(PlainSchema.accepts(schema.value(), RawJson.parse("1.0").value()))
                .isFalse();
        assertThat(ArgumentCheck.of(schema).problems(RawJson.parse("1.0"))).isEmpty();
        assertThat(ArgumentCheck.of(schema).problems(RawJson.parse("1.5"))).startsWith("arguments: ");
    }
}
