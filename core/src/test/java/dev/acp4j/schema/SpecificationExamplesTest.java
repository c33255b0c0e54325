package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reads the messages that the pages of the protocol show, and writes them again. */
@Tag("SCH-16")
final class SpecificationExamplesTest {
    private static final Pattern BLOCK = Pattern.compile("```json[^\\n]*\\n(.*?)```", Pattern.DOTALL);

    private static final Set<String> DEFAULTS = Set.of("kind=\"other\"", "status=\"pending\"");

    /** Part of a message, with the codec that must read it. */
    private record Example(Path page, JsonNode json, Codec<Object> codec) {}

    private static List<Path> pages() throws IOException {
        Path folder = Path.of(System.getProperty("acp4j.shared", ""), "spec", "protocol", "v1");
        Assumptions.assumeTrue(
                Files.isDirectory(folder), "no examples are read, as the specification is not at " + folder);
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    private static Map<String, Method<?, ?>> methods() {
        Map<String, Method<?, ?>> methods = new HashMap<>();
        Stream.of(AgentMethods.all(), ClientMethods.all(), ProtocolMethods.all())
                .flatMap(List::stream)
                .forEach(method -> methods.put(method.name(), method));
        return methods;
    }

    private static List<Example> examples() throws IOException {
        List<Example> examples = new ArrayList<>();
        Map<String, Method<?, ?>> methods = methods();
        for (Path page : pages()) {
            Map<JsonNode, Method<?, ?>> asked = new HashMap<>();
            Matcher blocks = BLOCK.matcher(Files.readString(page));
            while (blocks.find()) {
                JsonNode message = tree(blocks.group(1));
                Method<?, ?> method = methods.get(message.path("method").asText());
                if (message.has("method")) {
                    asked.remove(message.path("id"));
                }
                if (method != null) {
                    asked.put(message.path("id"), method);
                    add(examples, page, message.path("params"), method.params());
                } else if (message.has("result") && asked.containsKey(message.path("id"))) {
                    add(
                            examples,
                            page,
                            message.get("result"),
                            asked.get(message.path("id")).result());
                }
            }
        }
        return examples;
    }

    @SuppressWarnings("unchecked")
    private static void add(List<Example> examples, Path page, JsonNode json, Codec<?> codec) {
        // The page on modes says modeId here, where the schema, which counts, says currentModeId.
        if (!json.path("update").path("sessionUpdate").asText().equals("current_mode_update")) {
            // A result of null is one without members.
            JsonNode object = json.isNull() ? ProtocolSchema.JSON.createObjectNode() : json;
            examples.add(new Example(page, object, (Codec<Object>) codec));
        }
    }

    /** Returns the JSON of an example; nothing for one with dots for what does not matter. */
    private static JsonNode tree(String text) {
        try {
            return ProtocolSchema.JSON.readTree(text);
        } catch (JsonProcessingException e) {
            return ProtocolSchema.JSON.missingNode();
        }
    }

    @Test
    void messagesOfThePagesComeBack() throws IOException {
        assertThat(examples())
                .hasSizeGreaterThan(50)
                .allSatisfy(example -> assertThat(roundTrip(example)).isEqualTo(withoutDefaults(example.json())));
    }

    /** Returns what is written of it: nothing that says the same as its absence. */
    private static JsonNode withoutDefaults(JsonNode json) {
        JsonNode rest = json.deepCopy();
        for (JsonNode object : objects(rest, new ArrayList<>())) {
            for (String name : List.of("signal", "authMethods")) {
                if (object.path(name).isEmpty()) {
                    ((ObjectNode) object).remove(name);
                }
            }
            if (object.path("sessionUpdate").asText().equals("tool_call")) {
                ((ObjectNode) object).properties().removeIf(member -> DEFAULTS.contains(member.toString()));
            }
        }
        return rest;
    }

    private static List<JsonNode> objects(JsonNode json, List<JsonNode> found) {
        if (json.isObject()) {
            found.add(json);
        }
        json.forEach(child -> objects(child, found));
        return found;
    }

    private static JsonNode roundTrip(Example example) {
        try {
            Object value = RawJson.parse(example.json().toString()).decode(example.codec());
            return SchemaCase.tree(RawJson.encode(value, example.codec()));
        } catch (JsonException e) {
            throw new AssertionError(example.page().getFileName() + ": " + example.json(), e);
        }
    }
}
