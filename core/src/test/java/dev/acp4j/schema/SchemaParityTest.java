package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.ProtocolSchema.Alternative;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Holds the types against the schema of the protocol: what the one has the other has, and they agree on what is
 * forgiven.
 */
@Tag("SCH-21")
final class SchemaParityTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter().importPath(Path.of("target/classes/dev/acp4j/schema"));

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private static final Map<Release, List<SchemaCase>> READ = new EnumMap<>(Release.class);

    private static List<SchemaCase> all = List.of();

    /** Returns all cases; of a release with drafts, what the stable release has not, or has otherwise. */
    static Stream<SchemaCase> cases() {
        if (all.isEmpty()) {
            all = Arrays.stream(Release.values())
                    .flatMap(SchemaParityTest::of)
                    .filter(one -> !isRepeated(one))
                    .toList();
        }
        return all.stream();
    }

    private static boolean isRepeated(SchemaCase one) {
        Release release = one.release();
        return release.hasDrafts()
                && release.schema()
                        .saysTheSame(one.definition(), release.stable().schema());
    }

    /** Returns all cases of a release. */
    static Stream<SchemaCase> of(Release release) {
        return READ.computeIfAbsent(release, SchemaParityTest::read).stream();
    }

    private static List<SchemaCase> read(Release release) {
        Version version = release.version();
        ProtocolSchema schema = release.schema();
        SchemaSamples samples = new SchemaSamples(schema);
        List<SchemaCase> cases = new ArrayList<>();
        for (String name : schema.names()) {
            if (DefinitionNames.isElsewhere(name, version)) {
                continue;
            }
            Codec<Object> codec = ProtocolTypes.codec(DefinitionNames.type(name, version), version)
                    .orElseThrow();
            List<Alternative> alternatives = schema.alternatives(name).stream()
                    .filter(alternative -> !saysNull(alternative, schema))
                    .toList();
            for (int i = 0; i < alternatives.size(); i++) {
                cases.add(new SchemaCase(release, name, i, alternatives.get(i), codec, samples));
            }
        }
        return cases;
    }

    /** Returns whether a member is there to be null, which is the same as if it were absent. */
    private static boolean saysNull(Alternative alternative, ProtocolSchema schema) {
        return alternative.members().values().stream()
                .anyMatch(type ->
                        schema.expand(type).stream().allMatch(one -> one.kind().equals("null")));
    }

    static Stream<SchemaCase> objects() {
        return cases().filter(one -> one.alternative().kind().equals("object"));
    }

    static Stream<SchemaCase> knownObjects() {
        return objects()
                .filter(one -> !one.alternative().other())
                .filter(one -> one.version() == Version.V1 || !DefinitionNames.TOGETHER.contains(one.definition()));
    }

    @ParameterizedTest
    @EnumSource
    void everyDefinitionHasATypeOrAReasonForNone(Release release) {
        Version version = release.version();
        List<String> names = release.schema().names();

        if (release.hasDrafts()) {
            assertThat(names).containsAll(DefinitionNames.listed(version));
        }
        assertThat(names)
                .filteredOn(name -> !DefinitionNames.isElsewhere(name, version))
                .allSatisfy(name -> assertThat(ProtocolTypes.codec(DefinitionNames.type(name, version), version))
                        .as(name)
                        .isPresent());
    }

    @Test
    @Tag("API-05")
    void everyTypeHasADefinition() {
        Set<Class<?>> defined = new LinkedHashSet<>();
        for (Version version : Version.values()) {
            defined.addAll(defined(version, true));
        }

        assertThat(ProtocolTypes.codedRecords())
                .filteredOn(type -> !DefinitionNames.HAS_NO_DEFINITION.contains(type.getSimpleName()))
                .isSubsetOf(defined);
        assertThat(ProtocolTypes.codedUnions()).isSubsetOf(defined);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("API-05")
    void typesThatOnlyDraftsHaveAreMarked(Version version) {
        Set<Class<?>> stable = defined(version, false);
        Set<Class<?>> drafts = defined(version, true);
        drafts.removeAll(stable);

        assertThat(stable).noneMatch(type -> ProtocolTypes.isDraft(type, version));
        assertThat(drafts)
                .isNotEmpty()
                .allMatch(type -> ProtocolTypes.isDraft(type, version))
                .allMatch(SchemaParityTest::isUnstable);
    }

    /** Returns the types that the schema of a version has definitions for, with its drafts or without. */
    private static Set<Class<?>> defined(Version version, boolean drafts) {
        Set<Class<?>> defined = new LinkedHashSet<>();
        cases().filter(one ->
                        one.version() == version && (drafts || !one.release().hasDrafts()))
                .forEach(one -> {
                    defined.add(DefinitionNames.type(one.definition(), version));
                    defined.add(one.decode(one.full()).getClass());
                });
        return defined;
    }

    /** Reads the class file: the mark is not there when the program runs. */
    private static boolean isUnstable(Class<?> type) {
        Class<?> around = type.getEnclosingClass();
        return CLASSES.get(type).isAnnotatedWith(Unstable.class) || (around != null && isUnstable(around));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void readsAndWritesAllThereIs(SchemaCase one) {
        assertThat(one.roundTrip(one.full())).isEqualTo(one.full());
        if (one.alternative().kind().equals("object")) {
            String variant = one.decode(one.full()).getClass().getSimpleName();
            // Some sets are open in the schema that are strings here, which keep other values as they are.
            boolean openString = variant.equals("Idle")
                    || (one.version() == Version.V2 && DefinitionNames.OPEN.contains(one.definition()));
            assertThat(variant.equals("Unknown")).isEqualTo(one.alternative().other() && !openString);
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    @Tag("SCH-07")
    @Tag("SCH-14")
    void readsTheLeastThereMustBeAndWritesNoMore(SchemaCase one) {
        assertThat(one.roundTrip(one.minimal())).isEqualTo(one.minimal());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void keepsMembersThatItDoesNotKnowAtEveryLevel(SchemaCase one) {
        assertThat(one.roundTrip(one.fullWithUnknownMembers())).isEqualTo(one.fullWithUnknownMembers());
        assertThat(one.roundTrip(one.minimalWithUnknownMembers())).isEqualTo(one.minimalWithUnknownMembers());
        if (one.alternative().kind().equals("object")) {
            assertThat(one.fullWithUnknownMembers().toString()).contains("zzz");
        }
    }

    @ParameterizedTest
    @MethodSource("knownObjects")
    void unknownMembersAreNoReasonToForgive(SchemaCase one) {
        assertThat(one.members())
                .filteredOn(member -> one.fullWithUnknownMembers().has(member.name()))
                .allSatisfy(member -> one.samples().wrong(member.type()).ifPresent(value -> {
                    ObjectNode more = (ObjectNode) one.fullWithUnknownMembers().deepCopy();
                    more.set(member.name(), value);
                    if (member.isAddedByDraft()) {
                        member.isKept(more);
                    } else if (one.isAddedByDraft() && !member.isLenient()) {
                        assertThat(one.roundTrip(more)).isEqualTo(more);
                    } else if (!member.isLenient()) {
                        assertThat(one.failure(more)).hasMessageStartingWith(member.name());
                    } else if (!member.isRequired()) {
                        JsonNode absent = one.roundTrip(more.deepCopy().without(member.name()));
                        assertThat(one.roundTrip(more)).isEqualTo(absent);
                    }
                }));
    }

    @Test
    void codecsKnowNoOtherMembers() {
        Map<Codec<?>, Set<String>> members = new LinkedHashMap<>();
        objects().filter(one -> !one.alternative().other()).forEach(one -> {
            Class<?> type = one.decode(one.full()).getClass();
            ProtocolTypes.codec(type, one.version())
                    .filter(codec -> !ProtocolTypes.memberNames(codec).isEmpty())
                    .ifPresent(codec -> members.computeIfAbsent(codec, key -> new TreeSet<>())
                            .addAll(one.alternative().members().keySet()));
        });

        assertThat(members.entrySet()).allSatisfy(entry -> {
            Set<String> known = ProtocolTypes.memberNames(entry.getKey());
            // All objects may have metadata, even where the schema does not say so.
            entry.getValue().add("_meta");
            known.add("_meta");
            // A codec knows the tags of the unions around it, which the definition of a variant does not have.
            List<String> tags = List.of("type", "sessionUpdate", "state", "mode", "action", "outcome", "operation");
            tags.forEach(known::remove);
            tags.forEach(entry.getValue()::remove);
            assertThat(known).as(entry.getKey().getClass().getSimpleName()).isEqualTo(entry.getValue());
        });
    }

    @ParameterizedTest
    @MethodSource("knownObjects")
    void requiresWhatMustBeThere(SchemaCase one) {
        assertThat(one.members()).allSatisfy(member -> {
            if (!member.isRequired()) {
                one.roundTrip(member.without());
            } else if (!isUnknownShape(member)) {
                assertThat(one.failure(member.without())).hasMessageContaining(member.name());
            }
        });
    }

    /** Without the member that tells its shape, a value is one that is not known. */
    private static boolean isUnknownShape(SchemaCase.Member member) {
        try {
            return member.of()
                    .decode(member.without())
                    .getClass()
                    .getSimpleName()
                    .equals("Unknown");
        } catch (JsonException e) {
            return false;
        }
    }

    @ParameterizedTest
    @MethodSource("knownObjects")
    @Tag("SCH-05")
    @Tag("SCH-06")
    void forgivesAWrongValueWhereTheSchemaSaysSo(SchemaCase one) {
        assertThat(one.members())
                .allSatisfy(member -> one.samples().wrong(member.type()).ifPresent(member::isWrong));
    }

    @ParameterizedTest
    @MethodSource("knownObjects")
    @Tag("SCH-07")
    @Tag("SCH-08")
    void takesNullForAbsentOrForClearing(SchemaCase one) {
        assertThat(one.members()).filteredOn(member -> !member.isRequired()).allSatisfy(member -> {
            JsonNode absent = one.roundTrip(member.without());
            ObjectNode cleared = (ObjectNode) absent.deepCopy();
            cleared.putNull(member.name());

            assertThat(one.roundTrip(member.with(NullNode.instance))).isIn(absent, cleared);
        });
    }

    @ParameterizedTest
    @MethodSource("knownObjects")
    @Tag("SCH-04")
    void dropsWrongItemsWhereTheSchemaSaysSo(SchemaCase one) {
        assertThat(one.members()).filteredOn(SchemaCase.Member::isList).allSatisfy(member -> {
            JsonNode items = member.type().get("items");
            JsonNode good = one.samples().full(items);
            JsonNode bad = one.samples().wrong(items).orElseThrow();
            JsonNode mixed = NODES.arrayNode().add(good).add(bad).add(good);

            if (one.alternative().skipsInvalid(member.name())) {
                assertThat(one.roundTrip(member.with(mixed)))
                        .isEqualTo(member.with(NODES.arrayNode().add(good).add(good)));
            } else {
                member.isWrong(mixed);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("knownObjects")
    @Tag("SCH-11")
    @Tag("FRM-25")
    void keepsNumbersWithinTheirBounds(SchemaCase one) {
        assertThat(one.members()).allSatisfy(member -> {
            if (member.type().path("minLength").asInt() > 0) {
                member.isWrong(NODES.textNode(""));
            }
            switch (member.type().path("format").asText("")) {
                case "uint16" -> bounds(member, member.type().path("minimum").asLong(), 65_535);
                case "uint32" -> bounds(member, 0, 4_294_967_295L);
                case "uint64" -> bounds(member, 0, Long.MAX_VALUE);
                case "int32" -> bounds(member, Integer.MIN_VALUE, Integer.MAX_VALUE);
                case "int64" -> bounds(member, Long.MIN_VALUE, Long.MAX_VALUE);
                case "double" -> member.isRight(NODES.numberNode(-1.25e-7));
                case "", "uri", "regex", "date-time" -> {}
                default -> throw new AssertionError(member.type());
            }
        });
    }

    private static void bounds(SchemaCase.Member member, long min, long max) {
        member.isRight(number(BigInteger.valueOf(min)));
        member.isRight(number(BigInteger.valueOf(max)));
        member.isWrong(number(BigInteger.valueOf(min).subtract(BigInteger.ONE)));
        member.isWrong(number(BigInteger.valueOf(max).add(BigInteger.ONE)));
        member.isWrong(NODES.numberNode(1.5));
    }

    /** Returns a number of the class that Jackson reads it as, since it compares classes too. */
    private static JsonNode number(BigInteger value) {
        return SchemaCase.tree(RawJson.parse(value.toString()));
    }

    @ParameterizedTest
    @MethodSource("knownObjects")
    @Tag("SCH-16")
    void readsADefaultAsAbsent(SchemaCase one) {
        assertThat(one.members())
                .filteredOn(member -> member.type().has("default"))
                .allSatisfy(member -> assertThat(
                                one.decode(member.with(member.type().get("default"))))
                        .isEqualTo(one.decode(member.without())));
    }

    @Test
    @Tag("SCH-01")
    void stringSetsHaveTheConstantsOfTheSchemaAndKeepOtherValues() {
        Map<String, Set<String>> sets = new LinkedHashMap<>();
        cases().filter(one -> one.alternative().kind().equals("string")).forEach(one -> {
            Set<String> values = sets.computeIfAbsent(one.version() + " " + one.definition(), name -> new TreeSet<>());
            if (one.alternative().node().has("const")) {
                values.add(one.alternative().node().get("const").asText());
            }
        });

        // These two are strings too, among other things.
        sets.keySet().removeIf(name -> name.endsWith(" RequestId") || name.endsWith(" ElicitationContentValue"));
        assertThat(sets).isNotEmpty().allSatisfy((versionAndName, values) -> {
            Version version = Version.valueOf(versionAndName.substring(0, 2));
            String name = versionAndName.substring(3);
            List<Object> constants = ProtocolTypes.constants(DefinitionNames.type(name, version), version);
            assertThat(constants).extracting(Object::toString).containsExactlyInAnyOrderElementsOf(values);
            Codec<Object> codec =
                    ProtocolTypes.codec(DefinitionNames.type(name, version)).orElseThrow();
            RawJson mine = RawJson.string("_mine");
            assertThat(RawJson.encode(mine.decode(codec), codec)).isEqualTo(mine);
        });
    }
}
