package dev.acp4j.mcp;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonBoolean;
import dev.acp4j.json.JsonNull;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.harrel.jsonschema.JsonNode;
import dev.harrel.jsonschema.JsonNodeFactory;
import dev.harrel.jsonschema.SchemaResolver;
import dev.harrel.jsonschema.SimpleType;
import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Checks the arguments of one tool against its JSON Schema, draft 2020-12 unless it names another. Nothing is fetched:
 * a reference to another document makes the schema unusable.
 *
 * <p>Each schema has a validator of its own, since what one declares must mean nothing to another. What schemas
 * themselves must be, by their drafts, is read once, which takes longer than all else together; and for plain schemas
 * never.
 */
final class ArgumentCheck {
    private static final int MOST_SCHEMA_BYTES = 256 * 1024;
    private static final int MOST_ERRORS = 5;

    private static final String DRAFT = "https://json-schema.org/draft/2020-12/schema";

    private final JsonValue schema;
    private final boolean isPlain;

    /** Null until it is needed. */
    private volatile @Nullable Compiled compiled;

    private record Compiled(Validator validator, URI uri) {}

    private ArgumentCheck(JsonValue schema, boolean isPlain, @Nullable Compiled compiled) {
        this.schema = schema;
        this.isPlain = isPlain;
        this.compiled = compiled;
    }

    /**
     * Returns the check of a schema.
     *
     * @throws IllegalArgumentException when the schema is not usable; the message says why
     */
    static ArgumentCheck of(RawJson schema) {
        if (schema.length() > MOST_SCHEMA_BYTES) {
            throw new IllegalArgumentException(
                    "the schema has " + schema.length() + " bytes, allowed are " + MOST_SCHEMA_BYTES);
        }
        try {
            JsonValue value = schema.value();
            return PlainSchema.isPlain(value) ? new ArgumentCheck(value, true, null) : byLibrary(value);
        } catch (RuntimeException | StackOverflowError e) {
            throw new IllegalArgumentException("the schema is not usable: " + e.getMessage(), e);
        }
    }

    /** Returns the check of a schema, plain or not. */
    static ArgumentCheck byLibrary(JsonValue schema) {
        String problems = lines("schema", Drafts.check(schema));
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(problems);
        }
        return new ArgumentCheck(schema, false, compiled(schema));
    }

    private static Compiled compiled(JsonValue schema) {
        Validator validator = factory().withDisabledSchemaValidation(true).createValidator();
        return new Compiled(validator, validator.registerSchema(new Node(schema, "")));
    }

    private static ValidatorFactory factory() {
        return new ValidatorFactory()
                .withEvaluatorFactory(Patterns.keywords())
                .withJsonNodeFactory(new Nodes())
                .withSchemaResolver(uri -> SchemaResolver.Result.empty());
    }

    /** What schemas are. */
    private static final class Drafts {
        /** The validator finds no draft that another thread is reading just then. */
        private static final ReentrantLock LOCK = new ReentrantLock();

        private static final Validator VALIDATOR = factory().createValidator();

        private Drafts() {}

        static Validator.Result check(JsonValue schema) {
            String draft =
                    schema instanceof JsonObject object ? object.text("$schema").orElse(DRAFT) : DRAFT;
            LOCK.lock();
            try {
                return VALIDATOR.validate(URI.create(draft), new Node(schema, ""));
            } finally {
                LOCK.unlock();
            }
        }
    }

    /** Returns what is wrong with arguments, one a line; empty when nothing is. */
    String problems(RawJson arguments) {
        Validator.Result result;
        try {
            JsonValue value = arguments.value();
            if (isPlain && PlainSchema.accepts(schema, value)) {
                return "";
            }
            Compiled known = compiled == null ? compiled(schema) : compiled;
            compiled = known;
            result = Patterns.counted(() -> known.validator.validate(known.uri, new Node(value, "")));
        } catch (RuntimeException | StackOverflowError e) {
            // Such as a reference that leads nowhere, which is found only when it is followed.
            return "the schema of the tool is not usable: " + e.getMessage();
        }
        String lines = lines("arguments", result);
        return lines.isEmpty() && !result.isValid() ? "the arguments do not match the schema of the tool" : lines;
    }

    /** Returns what is wrong with a value of this name, one a line; empty when nothing is. */
    private static String lines(String name, Validator.Result result) {
        List<String> lines = new ArrayList<>();
        if (!result.isValid()) {
            for (var error : result.getErrors()) {
                String text = error.getError();
                if (text != null && lines.size() < MOST_ERRORS) {
                    lines.add(name + error.getInstanceLocation().replace('/', '.') + ": " + text);
                }
            }
        }
        return String.join("\n", lines);
    }

    private static final class Nodes implements JsonNodeFactory {
        @Override
        public JsonNode wrap(Object node) {
            return node instanceof Node ours ? ours : new Node((JsonValue) node, "");
        }

        @Override
        public JsonNode create(String json) {
            return new Node(RawJson.parse(json).value(), "");
        }
    }

    /** A value as the library of schemas sees it. Equal to one of the same value, wherever it stands. */
    private static final class Node implements JsonNode {
        private final JsonValue value;
        private final String pointer;

        Node(JsonValue value, String pointer) {
            this.value = value;
            this.pointer = pointer;
        }

        @Override
        public String getJsonPointer() {
            return pointer;
        }

        @Override
        public SimpleType getNodeType() {
            return switch (value) {
                case JsonObject object -> SimpleType.OBJECT;
                case JsonArray array -> SimpleType.ARRAY;
                case JsonString string -> SimpleType.STRING;
                case JsonNumber number -> isWhole(number.bigDecimalValue()) ? SimpleType.INTEGER : SimpleType.NUMBER;
                case JsonBoolean bool -> SimpleType.BOOLEAN;
                case JsonNull none -> SimpleType.NULL;
            };
        }

        private static boolean isWhole(BigDecimal number) {
            // One with a huge exponent is not written out as an integer.
            return number.scale() > -1000
                    && (number.scale() <= 0 || number.stripTrailingZeros().scale() <= 0);
        }

        @Override
        public boolean asBoolean() {
            return ((JsonBoolean) value).value();
        }

        @Override
        public String asString() {
            return value instanceof JsonString string ? string.value() : value.toString();
        }

        @Override
        public BigInteger asInteger() {
            return asNumber().toBigInteger();
        }

        @Override
        public BigDecimal asNumber() {
            return ((JsonNumber) value).bigDecimalValue();
        }

        @Override
        public List<JsonNode> asArray() {
            List<JsonNode> nodes = new ArrayList<>();
            for (JsonValue element : ((JsonArray) value).elements()) {
                nodes.add(new Node(element, pointer + "/" + nodes.size()));
            }
            return nodes;
        }

        @Override
        public Map<String, JsonNode> asObject() {
            Map<String, JsonNode> nodes = new LinkedHashMap<>();
            ((JsonObject) value)
                    .members()
                    .forEach((name, member) ->
                            nodes.put(name, new Node(member, pointer + "/" + JsonNode.encodeJsonPointer(name))));
            return nodes;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Node node && key(value).equals(key(node.value));
        }

        @Override
        public int hashCode() {
            return key(value).hashCode();
        }

        /** Returns what is equal for equal values: 1 and 1.0 are. */
        private static Object key(JsonValue value) {
            return switch (value) {
                case JsonObject object -> {
                    Map<String, Object> keys = new LinkedHashMap<>();
                    object.members().forEach((name, member) -> keys.put(name, key(member)));
                    yield keys;
                }
                case JsonArray array -> array.elements().stream().map(Node::key).toList();
                case JsonNumber number -> number.bigDecimalValue().stripTrailingZeros();
                default -> Objects.requireNonNull(value);
            };
        }
    }
}
