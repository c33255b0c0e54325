package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.fasterxml.jackson.databind.JsonNode;
import dev.acp4j.json.RawJson;
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

/** The catalogues name the methods of the protocol, and find the right codecs. */
final class MethodTest {
    private static final List<Class<?>> CATALOGUES =
            List.of(AgentMethods.class, ClientMethods.class, ProtocolMethods.class);

    /** A constant of a catalogue, with the types it is declared with. */
    private record Declared(Method<?, ?> method, Class<?> params, Class<?> result) {}

    private static List<Declared> declared() throws IllegalAccessException {
        List<Declared> methods = new ArrayList<>();
        for (Class<?> catalogue : CATALOGUES) {
            for (Field field : catalogue.getFields()) {
                Type[] types = ((ParameterizedType) field.getGenericType()).getActualTypeArguments();
                methods.add(new Declared((Method<?, ?>) field.get(null), (Class<?>) types[0], (Class<?>) types[1]));
            }
        }
        return methods;
    }

    private static List<Method<?, ?>> listed() {
        List<Method<?, ?>> methods = new ArrayList<>(AgentMethods.all());
        methods.addAll(ClientMethods.all());
        methods.addAll(ProtocolMethods.all());
        return methods;
    }

    @Test
    void everyConstantIsListed() throws IllegalAccessException {
        assertThat(declared()).<Object>extracting(Declared::method).containsExactlyInAnyOrderElementsOf(listed());
    }

    @Test
    void codecsAreThoseOfTheDeclaredTypes() throws IllegalAccessException {
        assertThat(declared()).allSatisfy(declared -> {
            assertThat(declared.method().params())
                    .isSameAs(ProtocolTypes.codec(declared.params()).orElseThrow());
            if (declared.method().isNotification()) {
                assertThat(declared.result()).isEqualTo(Void.class);
            } else {
                assertThat(declared.method().result())
                        .isSameAs(ProtocolTypes.codec(declared.result()).orElseThrow());
            }
        });
    }

    @Test
    @Tag("SCH-21")
    void methodsAreThoseOfTheSchema() throws IllegalAccessException {
        Map<String, Set<String>> expected = new TreeMap<>();
        ProtocolSchema schema = ProtocolSchema.v1();
        for (String name : schema.names()) {
            JsonNode definition = schema.definition(name);
            if (definition.has("x-method")) {
                String side = definition.get("x-side").asText();
                String method = side + " " + definition.get("x-method").asText();
                expected.computeIfAbsent(method, key -> new TreeSet<>()).add(name);
            }
        }

        Map<String, Set<String>> actual = new TreeMap<>();
        for (Declared declared : declared()) {
            Set<String> types = new TreeSet<>(Set.of(declared.params().getSimpleName()));
            if (!declared.method().isNotification()) {
                types.add(declared.result().getSimpleName());
            }
            actual.put(side(declared.method().side()) + " " + declared.method().name(), types);
        }

        assertThat(actual).isEqualTo(expected);
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
