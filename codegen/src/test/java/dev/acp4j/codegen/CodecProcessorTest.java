package dev.acp4j.codegen;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CodecProcessorTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "@Codable class X {} | @Codable is for records and sealed interfaces",
                "@Codable interface X {} | @Codable is for records and sealed interfaces",
                "@Codable record X<T>(String a) {} | a record with a codec has no type parameters",
                "@Codable record X(java.time.Instant at) {}"
                        + " | no codec for java.time.Instant: mark it @Codable, or write its codec by hand",
                "@Codable record X(List<Thread> a) {}"
                        + " | no codec for java.lang.Thread: mark it @Codable, or write its codec by hand",
                "@Codable record X(Map<Integer, String> a) {} | the keys of a map are strings",
                "@Codable record X(Rest rest, String a) {} | Rest rest is the last component",
                "@Codable record X(Rest data) {} | the component of type Rest must be called rest",
                "@Codable record X(String rest) {} | the component rest must be a Rest",
                "@Codable record X(@DefaultOnError Rest rest) {} | @DefaultOnError does not apply to unknown members",
                "@Codable record X(@OptionalMember String a) {} | @OptionalMember is for lists and maps; mark others @Nullable",
                "@Codable record X(@Nullable List<String> a) {} | a list or map is never null: use @OptionalMember or Change",
                "@Codable record X(Long a) {} | a boxed type is for @Nullable components: use the primitive one",
                "@Codable record X(@Nullable Change<String> a) {}"
                        + " | a Change is never null: an absent member is Change.keep()",
                "@Codable record X(@DefaultTo(`KEEP`) Change<String> a) {} | a Change is always optional: remove @DefaultTo",
                "@Codable record X(@DefaultTo(`yes`) boolean a) {} | a boolean defaults to `true` or `false`, not `yes`",
                "@Codable record X(@DefaultTo(`1`) long a) {} | @DefaultTo is for booleans and for types with constants",
                "@Codable record X(@DefaultTo(`NONE`) Y a) {} @Codable record Y() {} | Y has no constant NONE of its own type",
                "@Codable record X(@DefaultTo(`A`) @Nullable Y a) {} @Codable record Y() {}"
                        + " | a component with a default is never null: remove @Nullable",
                "@Codable record X(@DefaultOnError String a) {}"
                        + " | @DefaultOnError on a required member has nothing to fall back to, unless it is a list or map",
                "@Codable record X(@SkipInvalidItems String a) {} | @SkipInvalidItems is for lists",
                "@Codable record X(@Range String a) {} | @Range is for integers",
                "@Codable record X(@In(2) String a) {} | a component of one version may be absent: mark it as optional",
                "@Codable record X(@Draft String a) {} | a component of a draft may be absent: mark it as optional",
                "@Codable record X(@Draft @Nullable String a) {}"
                        + " | a record with a component of a draft keeps malformed ones: add Rest rest",
                "@Codable record X(@Draft Change<String> a, Rest rest) {}"
                        + " | a draft that adds a Change to a stable record is not supported",
                "@Codable record X(@Required(2) String a) {} | @Required is for members that may be absent in another version",
                "@Codable record X(@Range(max = 1L << 40) int a) {} | no Integer is from 0 to 1099511627776",
                "@Codable record X(String a, @Name(`a`) String b) {} | two components are called a in JSON",
                "final class X extends StringValue {} | a StringValue is created by static X of(String value)",
                "@Tagged(`type`) interface X {} | @Tagged requires @Codable",
                "@Codable sealed interface X { record A() implements X {} } | a @Codable union requires @Tagged",
                "@Codable @Tagged(`type`) sealed interface X { @Tag(`a`) record A() implements X {} }"
                        + " | a union keeps unknown variants: add record Unknown(String type, RawJson raw)",
                "@Codable @Tagged(`type`) sealed interface X { record Unknown(RawJson raw) implements X {} }"
                        + " | the unknown variant is record Unknown(String type, RawJson raw)",
                "@Codable @Tagged(`type`) sealed interface X { @Codable record A() implements X {} }"
                        + " | a variant of X needs @Tag",
                "@Codable @Tagged(`type`) sealed interface X { final class A implements X {} }"
                        + " | a variant is a record or a sealed interface",
                "@Codable @Tagged(`type`) sealed interface X { @Tag(`a`) record A() implements X {}"
                        + " @Tag(`a`) record B() implements X {} } | two variants have the tag a",
                "@Codable @Tagged(`type`) sealed interface X { @Tag(`a`) record A(String type) implements X {} }"
                        + " | the member type is the tag of the union",
                "@Codable record X(String a, String b) {"
                        + " static XBuilder builder(String b, String a) { return null; } }"
                        + " | builder takes the required components in their order: builder(a, b)",
                "@Codable record X(String a) { static XBuilder builder(String a) { return null; } }"
                        + " | a record with builder(…) has toBuilder() too",
            })
    void saysWhatIsWrong(String source, String message) {
        Compilation compilation = Compilation.of(folder, source.replace('`', '"'));

        assertThat(compilation.errors()).contains(message.replace('`', '"'));
    }

    @Test
    void codecOfAnotherPackageIsUsedWhereItsTypeIsPublic() {
        Compilation compilation =
                Compilation.of(folder, "@Codable record Y(String a) {}", "com.example", "@Codable record X(Y y) {}");

        assertThat(compilation.errors()).isEmpty();
        assertThat(compilation.generated("com.example", "XCodec"))
                .contains("import dev.acp4j.schema.YCodec;\n")
                .contains("public final class XCodec implements Codec<X> {\n")
                .contains("case 0 -> y = YCodec.INSTANCE.decode(in);\n");
        assertThat(compilation.generated("YCodec")).contains("public static final YCodec INSTANCE = new YCodec();\n");
    }

    @Test
    void codecWrittenByHandMayNotBeVisibleInAnotherPackage() {
        Compilation compilation =
                Compilation.of(folder, "interface Y {} class YCodec {}", "com.example", "@Codable record X(Y y) {}");

        assertThat(compilation.errors())
                .contains("YCodec is not visible in com.example, because it is declared in dev.acp4j.schema");
    }

    @Test
    void oneClassMayGiveAllCodecsOfAPackage() {
        Compilation compilation = Compilation.ofCodecsClass(
                folder,
                List.of(
                        "@Codable record Same(String a) {}",
                        "@Codable record Part(@Required(2) @Nullable String id) {}",
                        "class Outer { @Codable record Hidden(String a) {} }"),
                "com.example",
                "@Codable record X(Same same, Part part) {}");

        assertThat(compilation.errors()).isEmpty();
        assertThat(compilation.generated("SameCodec")).contains("\nfinal class SameCodec implements Codec<Same> {");
        assertThat(compilation.generated("Codecs"))
                .contains("public final class Codecs {")
                .contains("public static Codec<Same> same() {\n        return SameCodec.INSTANCE;")
                .contains("public static Codec<Part> part(Version version) {\n"
                        + "        return version == Version.V2 ? PartCodecV2.INSTANCE : PartCodec.INSTANCE;")
                .doesNotContain("same(Version version)")
                .doesNotContain("outerHidden");
        assertThat(compilation.generated("com.example", "XCodec"))
                .contains("import dev.acp4j.schema.Codecs;\n")
                .contains("public final class XCodec implements Codec<X> {")
                .contains("case 0 -> same = Codecs.same().decode(in);")
                .contains("case 1 -> part = Codecs.part().decode(in);");
        assertThat(compilation.generated("com.example", "XCodecV2"))
                .contains("import dev.acp4j.schema.Version;\n")
                .contains("case 0 -> same = Codecs.same().decode(in);")
                .contains("case 1 -> part = Codecs.part(Version.V2).decode(in);");
    }

    @Test
    void classThatGivesAllCodecsSharesThoseOfEmptyObjectsAndStrings() {
        Compilation compilation = Compilation.ofCodecsClass(
                folder,
                List.of(
                        "@Codable record Closed(Rest rest) implements Extensible {}",
                        "@Codable record Plain(Rest rest) {}",
                        "final class DocId extends StringValue { public static DocId of(String value) { return null; } }",
                        "final class Role extends StringValue { public static final Role USER = of(\"user\");"
                                + " public static Role of(String value) { return null; } }",
                        "@Codable record Part(DocId id, Closed closed) {}"),
                "com.example",
                "@Codable record X(Closed closed, DocId id) {}");

        assertThat(compilation.errors()).isEmpty();
        assertThat(compilation.generated("EmptyObjectCodec"))
                .contains("static final EmptyObjectCodec<Closed> CLOSED = new EmptyObjectCodec<>(0);")
                .contains("return new Closed(rest);")
                .doesNotContain("Plain");
        assertThat(compilation.generated("StringValueCodec"))
                .contains("static final StringValueCodec<Role> ROLE = new StringValueCodec<>(0);")
                .contains("static final StringValueCodec<DocId> DOC_ID = new StringValueCodec<>(1);")
                .contains("return new StringValue[] {Role.USER};")
                .contains("return DocId.of(value);");
        assertThat(compilation.generated("Codecs")).contains("return EmptyObjectCodec.CLOSED;");
        assertThat(compilation.generated("PartCodec"))
                .contains("case 0 -> id = StringValueCodec.DOC_ID.decode(in);")
                .contains("case 1 -> closed = EmptyObjectCodec.CLOSED.decode(in);");
        assertThat(compilation.generated("com.example", "XCodec"))
                .contains("case 0 -> closed = Codecs.closed().decode(in);")
                .contains("case 1 -> id = Codecs.docId().decode(in);");
        assertThat(folder.resolve("dev/acp4j/schema/ClosedCodec.java")).doesNotExist();
        assertThat(folder.resolve("dev/acp4j/schema/RoleCodec.java")).doesNotExist();
    }

    @Test
    void versionsWithTheSameMembersShareAClassWhereOneClassGivesAllCodecs() {
        Compilation compilation = Compilation.ofCodecsClass(
                folder,
                List.of(
                        "@Codable record Part(@Required(2) @Nullable String why) {}",
                        "@Codable record Whole(List<Part> parts, @Name(v2 = \"partId\") String id) {}",
                        "@Codable @Tagged(\"type\") sealed interface Union {"
                                + " @Tag(\"some\") record Some(Part part) implements Union {}"
                                + " record Unknown(String type, RawJson raw) implements Union {} }"),
                "com.example",
                "@Codable record X(Whole whole) {}");

        assertThat(compilation.errors()).isEmpty();
        assertThat(compilation.generated("WholeCodec"))
                .contains("static final WholeCodec INSTANCE = new WholeCodec(false);")
                .contains("static final WholeCodec V2 = new WholeCodec(true);")
                .contains("case 0 -> parts = second ? ListCodec.of(PartCodecV2.INSTANCE).decode(in)"
                        + " : ListCodec.of(PartCodec.INSTANCE).decode(in);")
                .contains("return second ? NAMES_V2 : NAMES;")
                .contains("throw in.missing(second ? \"partId\" : \"id\", start);");
        assertThat(compilation.generated("UnionCodec"))
                .contains("return (second ? UnionSomeCodec.V2 : UnionSomeCodec.INSTANCE)"
                        + ".decodeMembers(in, start, TAGS.get(tag));");
        assertThat(compilation.generated("Codecs"))
                .contains("return version == Version.V2 ? WholeCodec.V2 : WholeCodec.INSTANCE;");
        assertThat(compilation.generated("com.example", "XCodecV2")).contains("Codecs.whole(Version.V2)");
        assertThat(folder.resolve("dev/acp4j/schema/WholeCodecV2.java")).doesNotExist();
    }

    @Test
    void versionsThatDifferHaveACodecEach() {
        Compilation compilation = Compilation.of(folder, """
                @Codable record Part(@Name(v2 = "partId") String id, @In(2) @Nullable String more, @Required(2) @Nullable String why) {}
                @Codable record Whole(List<Part> parts) {}
                @Codable record Alone(String a) {}
                """);

        assertThat(compilation.errors()).isEmpty();
        assertThat(compilation.generated("PartCodec"))
                .contains("Names.of(\"id\", \"why\")")
                .contains("return new Part(id, null, why);")
                .contains("throw Members.lacks(\"Part.more\", 1);")
                .contains("return version == Version.V2 ? PartCodecV2.INSTANCE : PartCodec.INSTANCE;");
        assertThat(compilation.generated("PartCodecV2"))
                .contains("Names.of(\"partId\", \"more\", \"why\")")
                .contains("throw in.missing(\"why\", start);")
                .contains("throw Members.requires(\"Part.why\", 2);");
        assertThat(compilation.generated("WholeCodecV2")).contains("ListCodec.of(PartCodecV2.INSTANCE)");
        assertThat(folder.resolve("dev/acp4j/schema/AloneCodecV2.java")).doesNotExist();
    }

    @Test
    void whatADraftAddsIsForgivenWhereItIsADraft() {
        Compilation compilation = Compilation.of(folder, """
                @Codable record Stable(@Draft(1) @Nullable String extra, Rest rest) {}
                @Codable @Draft record Whole(@Draft @Nullable String extra, Rest rest) {}
                @Codable @Tagged("type") sealed interface Union {
                    @Tag("old") record Old() implements Union {}
                    @Tag("new") @Draft(1) record New() implements Union {}
                    @Tag(v2 = "second") record Second() implements Union {}
                    record Unknown(String type, RawJson raw) implements Union {}
                }
                """);

        assertThat(compilation.errors()).isEmpty();
        assertThat(compilation.generated("StableCodec"))
                .contains("rest = ProtocolMembers.malformed(in, NAMES.get(0), rest);")
                .contains("ProtocolMembers.writeMalformed(out, NAMES, 0, value.rest());");
        assertThat(compilation.generated("StableCodecV2")).doesNotContain("alformed");
        assertThat(compilation.generated("WholeCodec")).doesNotContain("alformed");
        assertThat(folder.resolve("dev/acp4j/schema/WholeCodecV2.java")).doesNotExist();
        assertThat(compilation.generated("UnionCodec"))
                .contains("TAGS = Names.of(\"old\", \"new\");")
                .contains("return draft(in, start, object, tag);")
                .contains("return new Union.Unknown(TAGS.get(tag), in.raw());");
        assertThat(compilation.generated("UnionCodecV2"))
                .contains("TAGS = Names.of(\"old\", \"new\", \"second\");")
                .doesNotContain("draft(");
    }

    @Test
    void writesNothingForWhatIsNotMarked() {
        assertThat(Compilation.of(folder, "record X(Thread a) {}").errors()).isEmpty();
        assertThat(folder.resolve("dev/acp4j/schema/XCodec.java")).doesNotExist();
    }

    @Test
    void writesTheCodecOfARecord() {
        Compilation compilation = Compilation.of(folder, """
                @Codable record Location(
                        String path,
                        @DefaultOnError @Range(max = 4294967295L) @Nullable Long line,
                        @Name("default") @DefaultTo("true") boolean followed,
                        @OptionalMember @SkipInvalidItems List<Id> ids,
                        Change<String> title,
                        Rest rest) {}
                final class Id extends StringValue { static Id of(String value) { return new Id(); } }
                """);

        assertThat(compilation.errors()).isEmpty();
        assertThat(compilation.generated("LocationCodec")).isEqualTo("""
                // Written by acp4j-codegen from Location; changes belong there.
                package dev.acp4j.schema;

                import dev.acp4j.json.Codec;
                import dev.acp4j.json.JsonReader;
                import dev.acp4j.json.JsonWriter;
                import dev.acp4j.json.Names;
                import dev.acp4j.schema.codec.BooleanCodec;
                import dev.acp4j.schema.codec.ListCodec;
                import dev.acp4j.schema.codec.LongCodec;
                import dev.acp4j.schema.codec.Members;
                import dev.acp4j.schema.codec.StringCodec;
                import java.util.List;

                /** Reads and writes {@link Location}. */
                final class LocationCodec implements Codec<Location> {
                    static final LocationCodec INSTANCE = new LocationCodec();

                    private static final Names NAMES = Names.of("path", "line", "default", "ids", "title", "_meta");

                    private LocationCodec() {}

                    @Override
                    public Location decode(JsonReader in) {
                        int start = in.offset();
                        String path = null;
                        Long line = null;
                        boolean followed = true;
                        List<Id> ids = List.of();
                        Change<String> title = Change.keep();
                        Rest.Builder rest = null;
                        in.beginObject();
                        int member;
                        while ((member = in.member(NAMES)) != JsonReader.END) {
                            switch (member) {
                                case 0 -> path = in.string();
                                case 1 -> line = Members.lenient(in, LongCodec.between(0L, 4294967295L));
                                case 2 -> followed = Members.optional(in, BooleanCodec.INSTANCE, true);
                                case 3 -> ids = Members.optional(in, ListCodec.skippingInvalid(IdCodec.INSTANCE), List.of());
                                case 4 -> title = ProtocolMembers.change(in, StringCodec.INSTANCE);
                                case 5 -> rest = ProtocolMembers.meta(in, rest);
                                default -> rest = ProtocolMembers.unknown(in, rest);
                            }
                        }
                        if (path == null) {
                            throw in.missing("path", start);
                        }
                        return new Location(path, line, followed, ids, title, ProtocolMembers.rest(rest));
                    }

                    @Override
                    public void encode(Location value, JsonWriter out) {
                        out.beginObject();
                        out.name(NAMES, 0);
                        out.string(value.path());
                        Long line = value.line();
                        if (line != null) {
                            out.name(NAMES, 1);
                            out.int64(line);
                        }
                        if (!value.followed()) {
                            out.name(NAMES, 2);
                            out.bool(value.followed());
                        }
                        if (!value.ids().isEmpty()) {
                            out.name(NAMES, 3);
                            ListCodec.of(IdCodec.INSTANCE).encode(value.ids(), out);
                        }
                        ProtocolMembers.write(out, NAMES, 4, value.title(), StringCodec.INSTANCE);
                        value.rest().write(out, NAMES);
                        out.endObject();
                    }
                }
                """);
    }

    @Test
    void writesTheCodecOfAUnionThatFindsTheTagAnywhere() {
        Compilation compilation = Compilation.of(folder, """
                @Codable @Tagged(value = "type", untagged = Server.Stdio.class) sealed interface Server {
                    @Tag("http") record Http(String url) implements Server {}
                    @Codable record Stdio(String command) implements Server {}
                    record Unknown(String type, RawJson raw) implements Server {}
                }
                """);

        assertThat(compilation.errors()).isEmpty();
        assertThat(compilation.generated("ServerHttpCodec"))
                .contains("Names.of(\"url\", \"type\")")
                .contains("case 1 -> Members.tag(in, tag, \"type\", start);");
        assertThat(compilation.generated("ServerCodec")).contains("""
                    public Server decode(JsonReader in) {
                        int start = in.offset();
                        long object = in.mark();
                        boolean first = true;
                        in.beginObject();
                        int member;
                        while ((member = in.member(TAG)) != JsonReader.END) {
                            if (member == 0 && !in.tryNull()) {
                                return variant(in, start, object, first);
                            }
                            if (member != 0) {
                                in.skip();
                            }
                            first = false;
                        }
                        in.rewind(object);
                        return ServerStdioCodec.INSTANCE.decode(in);
                    }
                """).contains("""
                        if (value instanceof Server.Http variant) {
                            out.name(TAG, 0);
                            out.string(TAGS, 0);
                            ServerHttpCodec.INSTANCE.encodeMembers(variant, out);
                        } else if (value instanceof Server.Stdio variant) {
                            ServerStdioCodec.INSTANCE.encodeMembers(variant, out);
                        }
                """);
    }

    @Test
    void knownStringsAreConstants() {
        Compilation compilation = Compilation.of(folder, """
                final class Role extends StringValue {
                    public static final Role USER = of("user");
                    public static final Role AGENT = of("agent");
                    static final Role HIDDEN = of("hidden");
                    public static Role of(String value) { return Role.of(); }
                }
                """);

        assertThat(compilation.generated("RoleCodec"))
                .contains("    private static final Role[] KNOWN = {Role.USER, Role.AGENT};\n")
                .contains("    private static final Names VALUES = Names.of(Role.USER.value(), Role.AGENT.value());\n");
    }

    @Test
    void builderHasTheTextsOfTheRecord() {
        Compilation compilation = Compilation.of(folder, """
                /**
                 * A call.
                 *
                 * @param id names it
                 * @param title what to show,
                 *     see {@link #id}
                 * @since ever
                 */
                @Codable @Unstable record Call(String id, @Nullable String title, @OptionalMember List<String> entries) {
                    static CallBuilder builder(String id) { return null; }
                    CallBuilder toBuilder() { return null; }
                }
                """);

        assertThat(compilation.errors()).isEmpty();
        assertThat(compilation.generated("CallBuilder"))
                .contains("@Unstable\npublic final class CallBuilder {\n")
                .contains("    CallBuilder(String id) {\n")
                .contains("    CallBuilder(Call from) {\n")
                .contains("""
                            /**
                             * Sets {@code title}.
                             *
                             * @param value what to show,
                             * see {@link Call#id}
                             * @return this builder
                             */
                            public CallBuilder title(@Nullable String value) {
                        """)
                .contains("    public CallBuilder entries(List<String> value) {\n")
                .contains("    public CallBuilder addEntry(String item) {\n")
                .contains("    public Call build() {\n");
    }
}
