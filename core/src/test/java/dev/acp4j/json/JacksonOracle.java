package dev.acp4j.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What Jackson reads, as our tree. The deliberate differences are these:
 *
 * <ul>
 *   <li>Jackson guesses the encoding, accepts a byte order mark and lets some sequences pass that are not UTF-8. So the
 *       bytes are decoded first, strictly, and a mark is refused here.
 *   <li>Jackson refuses half of a pair of surrogates in a member's name, though not in a value; then it is not asked.
 * </ul>
 */
final class JacksonOracle {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(JsonText.MAX_DEPTH)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .build())
            .build();

    /** Instead of an answer: what we do differently. */
    static final JsonValue DIFFERENT = new JsonString("different by intent");

    private JacksonOracle() {}

    /** Returns the value, or null where Jackson refuses. */
    static @Nullable JsonValue read(byte[] document) {
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(document))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
        if (text.startsWith("\ufeff")) {
            return null;
        }
        try (JsonParser parser = FACTORY.createParser(text)) {
            JsonToken first = parser.nextToken();
            if (first == null) {
                return null;
            }
            JsonValue value = value(parser, first);
            return parser.nextToken() == null ? value : null;
        } catch (IOException e) {
            String message = String.valueOf(e.getMessage());
            return message.contains("surrogate") && message.contains("field name") ? DIFFERENT : null;
        }
    }

    private static JsonValue value(JsonParser parser, JsonToken token) throws IOException {
        return switch (token) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> array(parser);
            case VALUE_STRING -> new JsonString(parser.getText());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new JsonNumber(parser.getText());
            case VALUE_TRUE -> new JsonBoolean(true);
            case VALUE_FALSE -> new JsonBoolean(false);
            case VALUE_NULL -> JsonNull.INSTANCE;
            default -> throw new IOException("unexpected " + token);
        };
    }

    private static JsonValue object(JsonParser parser) throws IOException {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            members.put(name, value(parser, parser.nextToken()));
        }
        return new JsonObject(members);
    }

    private static JsonValue array(JsonParser parser) throws IOException {
        List<JsonValue> elements = new ArrayList<>();
        for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            elements.add(value(parser, token));
        }
        return new JsonArray(elements);
    }
}
