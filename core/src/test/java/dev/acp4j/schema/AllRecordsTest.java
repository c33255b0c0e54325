package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Reads and writes all records of the protocol, as they are found; no schema is needed for that. */
@Tag("SCH-16")
final class AllRecordsTest {
    /** A member, which is wrong or absent in what is read. */
    private record Member(String name, RecordComponent component) {}

    static Stream<Class<?>> records() {
        return ProtocolTypes.codedRecords().stream();
    }

    static Stream<Class<?>> objects() {
        return records().filter(type -> write(RecordSamples.full(type)).isObject());
    }

    private static Codec<Object> codec(Class<?> type) {
        return ProtocolTypes.codec(type).orElseThrow();
    }

    private static JsonNode write(Object value) {
        return SchemaCase.tree(RawJson.encode(value, codec(value.getClass())));
    }

    private static Object read(Class<?> type, JsonNode json) {
        return RawJson.parse(json.toString()).decode(codec(type), "params");
    }

    @Test
    void thereAreManyOfThem() {
        assertThat(records()).hasSizeGreaterThan(150);
    }

    @ParameterizedTest
    @MethodSource("records")
    void fullOneComesBack(Class<?> type) {
        Object full = RecordSamples.full(type);

        assertThat(read(type, write(full))).isEqualTo(full).hasSameHashCodeAs(full);
        assertThat(write(read(type, write(full)))).isEqualTo(write(full));
    }

    @ParameterizedTest
    @MethodSource("records")
    void minimalOneComesBack(Class<?> type) {
        Object minimal = RecordSamples.minimal(type);

        assertThat(read(type, write(minimal))).isEqualTo(minimal);
    }

    @ParameterizedTest
    @MethodSource("objects")
    void unknownMembersAreKept(Class<?> type) {
        ObjectNode json = ProtocolSchema.JSON.createObjectNode();
        json.putObject("__proto__").putArray("a").add(98.25);
        json.setAll((ObjectNode) write(RecordSamples.full(type)));
        json.putNull("zzz");

        Object read = read(type, json);

        // This one is a look at some of the members of another.
        if (type != SessionConfigOptionHead.class) {
            assertThat(write(read)).isEqualTo(json);
            assertThat(read).isNotEqualTo(RecordSamples.full(type)).isEqualTo(read(type, json));
            assertThat(read.toString()).doesNotContain("98.25");
        }
    }

    @ParameterizedTest
    @MethodSource("objects")
    @Tag("SCH-07")
    void nullIsAbsenceOrClearingOrRefusedWithItsPath(Class<?> type) {
        members(type).forEach(member -> {
            ObjectNode json = (ObjectNode) write(RecordSamples.full(type));
            json.putNull(member.name());

            Optional<Object> value = readOrRefuse(type, json, member);

            boolean mayBeNull = RecordSamples.isNullable(member.component()) && !isScope(type, member);
            assertThat(value.isPresent() || !mayBeNull)
                    .as("%s.%s", type, member.name())
                    .isTrue();
            value.ifPresent(read -> assertThat(component(read, member)).isIn(absent(member)));
        });
    }

    @ParameterizedTest
    @MethodSource("objects")
    @Tag("SCH-05")
    void wrongValueIsForgivenOrRefusedWithItsPath(Class<?> type) {
        members(type).forEach(member -> {
            ObjectNode json = (ObjectNode) write(RecordSamples.full(type));
            json.set(member.name(), wrong(json.get(member.name())));

            // Nothing is wrong for a member that takes any JSON.
            if (!member.component().getGenericType().getTypeName().contains("RawJson")) {
                readOrRefuse(type, json, member)
                        .ifPresent(read -> assertThat(component(read, member)).isIn(absent(member)));
            }
        });
    }

    @ParameterizedTest
    @MethodSource("objects")
    void absentMemberIsForgivenOrNamed(Class<?> type) {
        members(type).forEach(member -> {
            ObjectNode json = (ObjectNode) write(RecordSamples.full(type));
            json.remove(member.name());
            try {
                assertThat(component(read(type, json), member)).isIn(absent(member));
            } catch (JsonException e) {
                assertThat(e).hasMessageStartingWith("params: ").hasMessageContaining(member.name());
            }
        });
    }

    /** Returns what was read; empty when it was refused, which must be at that member. */
    private static Optional<Object> readOrRefuse(Class<?> type, JsonNode json, Member member) {
        try {
            return Optional.of(read(type, json));
        } catch (JsonException e) {
            assertThat(e).hasMessageStartingWith("params").hasMessageContaining(member.name());
            return Optional.empty();
        }
    }

    /** Returns what a component may be when its member says nothing. */
    private static List<@Nullable Object> absent(Member member) {
        List<@Nullable Object> values =
                new ArrayList<>(ProtocolTypes.constants(member.component().getType()));
        values.add(RecordSamples.absent(member.component()));
        values.add(Change.clear());
        if (member.component().getType() == Rest.class) {
            values.add(Rest.of(Meta.NULL));
        }
        if (member.component().getType() == boolean.class) {
            values.add(false);
        }
        return values;
    }

    private static JsonNode wrong(JsonNode right) {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        if (right.isTextual()) {
            return nodes.booleanNode(true);
        }
        return right.isArray()
                ? nodes.objectNode().put("zzz", 7)
                : nodes.arrayNode().add("x");
    }

    private static boolean isScope(Class<?> type, Member member) {
        return CreateElicitationRequest.Scoped.class.isAssignableFrom(type)
                && member.name().equals("sessionId");
    }

    /** Returns the members of a full value, which are written in the order of the components. */
    private static List<Member> members(Class<?> type) {
        List<RecordComponent> components = Arrays.stream(type.getRecordComponents())
                .filter(component -> RecordSamples.isThere(type, component))
                .toList();
        Map<String, RecordComponent> members = new LinkedHashMap<>();
        write(RecordSamples.full(type)).fieldNames().forEachRemaining(name -> {
            if (members.size() < components.size() && !isTag(type, name)) {
                members.put(name, components.get(members.size()));
            }
        });
        assertThat(members).as("members of %s", type).hasSameSizeAs(components);
        return members.entrySet().stream()
                .map(member -> new Member(member.getKey(), member.getValue()))
                .toList();
    }

    /** The type of a value stands beside it, and is no component. */
    private static boolean isTag(Class<?> type, String name) {
        return type == SetSessionConfigOptionRequest.class && name.equals("type");
    }

    private static @Nullable Object component(Object value, Member member) {
        try {
            return member.component().getAccessor().invoke(value);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(member.name(), e);
        }
    }
}
