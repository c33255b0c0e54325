package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.acp4j.schema.ProtocolSchema.Alternative;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Counts how much of each of the four schemas the types have, and prints it. It must be all. */
@Tag("SCH-21")
final class SchemaCoverageTest {
    /** What a schema has of one kind, and what of it the types lack. */
    private static final class Count {
        private final String kind;
        private final Set<String> all = new LinkedHashSet<>();
        private final Set<String> lacking = new LinkedHashSet<>();

        Count(String kind) {
            this.kind = kind;
        }

        void add(String name, boolean isThere) {
            all.add(name);
            if (!isThere) {
                lacking.add(name);
            }
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%d of %d %s", all.size() - lacking.size(), all.size(), kind);
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyDefinitionMemberConstantAndMethodIsThere(Release release) {
        List<Count> counts = List.of(definitions(release), members(release), constants(release), methods(release));

        System.out.println("Coverage of " + release.path() + ": "
                + counts.stream().map(Count::toString).collect(Collectors.joining(", ")));

        assertThat(counts).allSatisfy(count -> {
            assertThat(count.all).as(count.kind).isNotEmpty();
            assertThat(count.lacking).as(count.kind).isEmpty();
        });
    }

    /** A definition is there if it has a type, or a reason for none. */
    private static Count definitions(Release release) {
        Count count = new Count("definitions");
        for (String name : release.schema().names()) {
            boolean isElsewhere = DefinitionNames.isElsewhere(name, release.version());
            count.add(name, isElsewhere || hasCodec(name, release.version()));
        }
        return count;
    }

    private static boolean hasCodec(String definition, Version version) {
        boolean isOfJsonRpc = definition.equals("RequestId");
        return (isOfJsonRpc || DefinitionNames.name(definition, version).isPresent())
                && ProtocolTypes.codec(DefinitionNames.type(definition, version), version)
                        .isPresent();
    }

    /** A member is there if the type that is read does not keep it as an unknown one. */
    private static Count members(Release release) {
        Count count = new Count("members");
        SchemaParityTest.of(release)
                .filter(one -> one.alternative().kind().equals("object"))
                .filter(one -> !one.alternative().other())
                .forEach(one -> {
                    boolean isKnown = one.decode(one.full()) instanceof Extensible;
                    for (SchemaCase.Member member : one.members()) {
                        boolean isThere = isKnown
                                && !((Extensible) one.decode(one.full()))
                                        .rest()
                                        .names()
                                        .contains(member.name());
                        count.add(one + "." + member.name(), isThere);
                    }
                });
        return count;
    }

    /** A tag is there if it is read as a known variant; a value of a string set, if it is a constant. */
    private static Count constants(Release release) {
        Count count = new Count("constants");
        SchemaParityTest.of(release).forEach(one -> {
            Alternative alternative = one.alternative();
            alternative
                    .constants()
                    .forEach((tag, value) -> count.add(one + "." + tag + "=" + value, isKnownVariant(one)));
            JsonNode constant = alternative.node().path("const");
            if (alternative.kind().equals("string") && constant.isTextual()) {
                Class<?> type = DefinitionNames.type(one.definition(), release.version());
                boolean isThere = ProtocolTypes.constants(type, release.version()).stream()
                        .anyMatch(known -> known.toString().equals(constant.asText()));
                count.add(one.definition() + "=" + constant.asText(), isThere);
            }
        });
        List<Object> codes = ProtocolTypes.constants(ErrorCode.class);
        release.schema().alternatives("ErrorCode").stream()
                .map(code -> code.node().path("const"))
                .filter(JsonNode::isInt)
                .forEach(code -> count.add("ErrorCode=" + code, codes.contains(ErrorCode.of(code.asInt()))));
        return count;
    }

    private static boolean isKnownVariant(SchemaCase one) {
        Object read = one.decode(one.full());
        // Its own tag is known, and another union's within it is not.
        boolean isWithin =
                read instanceof StateUpdate.Unknown && one.definition().equals("SessionUpdate");
        return isWithin || !read.getClass().getSimpleName().equals("Unknown");
    }

    /** A method is there if a catalogue has it; those of drafts are apart. */
    private static Count methods(Release release) {
        Count count = new Count("methods");
        Set<String> known = Stream.of(
                        AgentMethods.all(release.version()),
                        ClientMethods.all(release.version()),
                        ProtocolMethods.all(release.version()),
                        release.hasDrafts() ? AgentMethods.drafts(release.version()) : List.<Method<?, ?>>of(),
                        release.hasDrafts() ? ClientMethods.drafts(release.version()) : List.<Method<?, ?>>of(),
                        release.hasDrafts() ? ProtocolMethods.drafts(release.version()) : List.<Method<?, ?>>of())
                .flatMap(List::stream)
                .map(method -> method.side() + " " + method.name())
                .collect(Collectors.toSet());
        for (String name : release.schema().names()) {
            JsonNode definition = release.schema().definition(name);
            if (definition.has("x-method")) {
                String method = definition.get("x-method").asText();
                String side = definition.get("x-side").asText().toUpperCase(Locale.ROOT);
                boolean isThere =
                        known.contains(side + " " + method) || known.contains(Method.Side.BOTH + " " + method);
                count.add(side.toLowerCase(Locale.ROOT) + " " + method, isThere);
            }
        }
        return count;
    }
}
