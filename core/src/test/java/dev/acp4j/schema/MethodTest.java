package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.fasterxml.jackson.databind.JsonNode;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.In;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The catalogues name the methods of the protocol, and find the right codecs. */
final class MethodTest {
    private static final List<Class<?>> CATALOGUES =
            List.of(AgentMethods.class, ClientMethods.class, ProtocolMethods.class);

    /** A constant of a catalogue, with the types it is declared with. */
    private record Declared(Method<?, ?> method, Class<?> params, Class<?> result) {}

    private static List<Declared> declared(Version version) throws IllegalAccessException {
        List<Declared> methods = new ArrayList<>();
        for (Class<?> catalogue : CATALOGUES) {
            for (Field field : catalogue.getFields()) {
                In in = field.getAnnotation(In.class);
                if (in != null && in.value() != version.number()) {
                    continue;
                }
                Type[] types = ((ParameterizedType) field.getGenericType()).getActualTypeArguments();
                methods.add(new Declared((Method<?, ?>) field.get(null), (Class<?>) types[0], (Class<?>) types[1]));
            }
        }
        return methods;
    }

    private static List<Method<?, ?>> listed(Version version) {
        List<Method<?, ?>> methods = new ArrayList<>(AgentMethods.all(version));
        methods.addAll(ClientMethods.all(version));
        methods.addAll(ProtocolMethods.all(version));
        return methods;
    }

    @ParameterizedTest
    @EnumSource
    void everyConstantIsListed(Version version) throws IllegalAccessException {
        assertThat(declared(version))
                .<Object>extracting(Declared::method)
                .containsExactlyInAnyOrderElementsOf(listed(version));
    }

    @ParameterizedTest
    @EnumSource
    void codecsAreThoseOfTheDeclaredTypes(Version version) throws IllegalAccessException {
        assertThat(declared(version)).allSatisfy(declared -> {
            assertThat(declared.method().params(version))
                    .isSameAs(ProtocolTypes.codec(declared.params(), version).orElseThrow());
            if (declared.method().isNotification()) {
                assertThat(declared.result()).isEqualTo(Void.class);
            } else {
                assertThat(declared.method().result(version))
                        .isSameAs(
                                ProtocolTypes.codec(declared.result(), version).orElseThrow());
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void methodIsFoundByItsName(Version version) throws IllegalAccessException {
        assertThat(declared(version))
                .allSatisfy(declared -> assertThat(Method.find(declared.method().name(), version))
                        .contains(declared.method()));
        assertThat(Method.find("session/sing", version)).isEmpty();
    }

    @Test
    void methodOfOneVersionIsNotFoundInTheOther() {
        assertThat(Method.find("session/load", Version.V2)).isEmpty();
        assertThat(Method.find("session/prompt", Version.V2)).contains(AgentMethods.PROMPT_V2);
        assertThat(Method.find("session/prompt", Version.V1)).contains(AgentMethods.PROMPT);
    }

    @ParameterizedTest
    @EnumSource
    void capabilitiesThatPromiseMethodsAreThoseOfTheSchema(Version version) throws IllegalAccessException {
        ProtocolSchema schema = ProtocolSchema.of(version);
        assertThat(declared(version))
                .filteredOn(declared -> !declared.method().capability(version).isEmpty())
                .isNotEmpty()
                .allSatisfy(declared -> {
                    String root =
                            declared.method().side() == Method.Side.AGENT ? "AgentCapabilities" : "ClientCapabilities";
                    List<ProtocolSchema.Alternative> at = schema.alternatives(root);
                    for (String name : declared.method().capability(version).split("\\.", -1)) {
                        JsonNode member = at.getFirst().member(name);
                        assertThat(member).as("%s", declared.method()).isNotNull();
                        at = schema.expand(member);
                    }
                });
    }

    @ParameterizedTest
    @EnumSource
    @Tag("SCH-21")
    void methodsAreThoseOfTheSchema(Version version) throws IllegalAccessException {
        Map<String, Set<String>> expected = new TreeMap<>();
        ProtocolSchema schema = ProtocolSchema.of(version);
        for (String name : schema.names()) {
            JsonNode definition = schema.definition(name);
            boolean hasType = !DefinitionNames.isElsewhere(name, version);
            if (definition.has("x-method") && hasType && !isNotYet(definition, version)) {
                String side = definition.get("x-side").asText();
                String method = side + " " + definition.get("x-method").asText();
                expected.computeIfAbsent(method, key -> new TreeSet<>())
                        .add(DefinitionNames.type(name, version).getSimpleName());
            }
        }

        Map<String, Set<String>> actual = new TreeMap<>();
        for (Declared declared : declared(version)) {
            Set<String> types = new TreeSet<>(Set.of(declared.params().getSimpleName()));
            if (!declared.method().isNotification()) {
                types.add(declared.result().getSimpleName());
            }
            actual.put(side(declared.method().side()) + " " + declared.method().name(), types);
        }

        assertThat(actual).isEqualTo(expected);
    }

    /** Returns whether some type of a method of version 2 is not there yet. */
    private static boolean isNotYet(JsonNode definition, Version version) {
        return version == Version.V2
                && Set.of("session/list", "session/resume")
                        .contains(definition.get("x-method").asText());
    }

    private static String side(Method.Side side) {
        return switch (side) {
            case AGENT -> "agent";
            case CLIENT -> "client";
            case BOTH -> "protocol";
        };
    }

    @Test
    void errorCodesAreThoseOfTheSchema() {
        List<Object> codes = new ArrayList<>();
        ProtocolSchema.v1().alternatives("ErrorCode").stream()
                .filter(code -> code.node().has("const"))
                .forEach(code -> codes.add(ErrorCode.of(code.node().get("const").asInt())));

        // Version 2 adds this one.
        codes.add(ErrorCode.UNSUPPORTED_PROTOCOL_VERSION);
        assertThat(ProtocolTypes.constants(ErrorCode.class)).containsExactlyInAnyOrderElementsOf(codes);
    }

    @Test
    void notificationHasNoResult() {
        assertThat(AgentMethods.CANCEL.isNotification()).isTrue();
        assertThatIllegalStateException()
                .isThrownBy(AgentMethods.CANCEL::result)
                .withMessage("session/cancel is a notification: it has no result");
    }

    @Test
    @Tag("SCH-10")
    void extensionMethodTakesAndGivesAnyJson() {
        Method<RawJson, RawJson> method = Method.rawRequest("_example.com/ping", Method.Side.BOTH);
        RawJson params = RawJson.parse("{ \"a\" : 1.50 }");

        assertThat(params.decode(method.params())).isEqualTo(params);
        assertThat(RawJson.encode(params, method.result())).isEqualTo(params);
        assertThat(method.isNotification()).isFalse();
        assertThat(Method.rawNotification("_example.com/ping", Method.Side.BOTH).isNotification())
                .isTrue();
        assertThat(method).hasToString("_example.com/ping");
    }
}
