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
import java.util.LinkedHashSet;
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

    /** Returns the constants of a version, with its drafts or without. */
    private static List<Declared> declared(Release release) throws IllegalAccessException {
        Version version = release.version();
        List<Declared> methods = new ArrayList<>();
        for (Class<?> catalogue : CATALOGUES) {
            for (Field field : catalogue.getFields()) {
                In in = field.getAnnotation(In.class);
                boolean isOther = in != null && in.value() != version.number();
                if (isOther || (!release.hasDrafts() && ProtocolTypes.isDraft(field, version))) {
                    continue;
                }
                Type[] types = ((ParameterizedType) field.getGenericType()).getActualTypeArguments();
                methods.add(new Declared((Method<?, ?>) field.get(null), (Class<?>) types[0], (Class<?>) types[1]));
            }
        }
        return methods;
    }

    private static List<Method<?, ?>> listed(Release release) {
        Version version = release.version();
        List<Method<?, ?>> methods = new ArrayList<>(AgentMethods.all(version));
        methods.addAll(ClientMethods.all(version));
        methods.addAll(ProtocolMethods.all(version));
        if (release.hasDrafts()) {
            methods.addAll(AgentMethods.drafts(version));
            methods.addAll(ClientMethods.drafts(version));
            methods.addAll(ProtocolMethods.drafts(version));
        }
        return methods;
    }

    @ParameterizedTest
    @EnumSource
    void everyConstantIsListed(Release release) throws IllegalAccessException {
        assertThat(declared(release))
                .<Object>extracting(Declared::method)
                .containsExactlyInAnyOrderElementsOf(listed(release));
    }

    @ParameterizedTest
    @EnumSource
    void codecsAreThoseOfTheDeclaredTypes(Release release) throws IllegalAccessException {
        Version version = release.version();
        assertThat(declared(release)).allSatisfy(declared -> {
            assertThat(declared.method().params(version))
                    .isSameAs(ProtocolTypes.codec(declared.params(), version).orElseThrow());
            if (declared.method().isNotification()) {
                assertThat(declared.result()).isEqualTo(Void.class);
            } else if (declared.result() == RawJson.class) {
                assertThat(declared.method().result(version)).isSameAs(RawJson.CODEC);
            } else {
                assertThat(declared.method().result(version))
                        .isSameAs(
                                ProtocolTypes.codec(declared.result(), version).orElseThrow());
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void stableMethodIsFoundByItsName(Version version) throws IllegalAccessException {
        assertThat(declared(version == Version.V1 ? Release.V1 : Release.V2))
                .allSatisfy(declared -> assertThat(Method.find(declared.method().name(), version))
                        .contains(declared.method()));
        assertThat(Method.find("session/sing", version)).isEmpty();
        assertThat(AgentMethods.drafts(version))
                .isNotEmpty()
                .allSatisfy(
                        draft -> assertThat(Method.find(draft.name(), version)).isEmpty());
    }

    @Test
    void methodOfOneVersionIsNotFoundInTheOther() {
        assertThat(Method.find("session/load", Version.V2)).isEmpty();
        assertThat(Method.find("session/prompt", Version.V2)).contains(AgentMethods.PROMPT_V2);
        assertThat(Method.find("session/prompt", Version.V1)).contains(AgentMethods.PROMPT);
    }

    @ParameterizedTest
    @EnumSource
    void capabilitiesThatPromiseMethodsAreThoseOfTheSchema(Release release) throws IllegalAccessException {
        Version version = release.version();
        ProtocolSchema schema = release.schema();
        assertThat(declared(release))
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
    void methodsAreThoseOfTheSchema(Release release) throws IllegalAccessException {
        Version version = release.version();
        Map<String, Set<String>> expected = new TreeMap<>();
        ProtocolSchema schema = release.schema();
        for (String name : schema.names()) {
            JsonNode definition = schema.definition(name);
            boolean hasType = !DefinitionNames.isElsewhere(name, version);
            if (definition.has("x-method") && hasType) {
                // Methods of proxies are in the catalogue of those that either side handles.
                String side = definition.get("x-side").asText().replace("proxy", "protocol");
                String method = side + " " + definition.get("x-method").asText();
                expected.computeIfAbsent(method, key -> new TreeSet<>())
                        .add(DefinitionNames.type(name, version).getSimpleName());
            }
        }

        Map<String, Set<String>> actual = new TreeMap<>();
        for (Declared declared : declared(release)) {
            // A request and a notification may have one name.
            Set<String> types = actual.computeIfAbsent(
                    side(declared.method().side()) + " " + declared.method().name(), key -> new TreeSet<>());
            types.add(declared.params().getSimpleName());
            if (!declared.method().isNotification() && declared.result() != RawJson.class) {
                types.add(declared.result().getSimpleName());
            }
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
        Set<Object> codes = new LinkedHashSet<>();
        for (Release release : Release.values()) {
            release.schema().alternatives("ErrorCode").stream()
                    .filter(code -> code.node().has("const"))
                    .forEach(code ->
                            codes.add(ErrorCode.of(code.node().get("const").asInt())));
        }

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
