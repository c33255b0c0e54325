package dev.acp4j.codegen;

import dev.acp4j.codegen.Component.Presence;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes the codec of a record that is an object. The generated code starts fast: no lambda, no stream, no pattern
 * switch, and precomputed member names.
 */
final class RecordCodecWriter {
    private final RecordModel model;
    private final RecordModel second;
    private final String codec;
    private final Source out;
    private final String type;
    private final String names;

    private RecordCodecWriter(RecordModel model, RecordModel second, String codec) {
        this.model = model;
        this.second = second;
        this.codec = codec;
        this.out = new Source(model.names(), codec);
        this.type = out.type(model.names());
        this.names = hasOtherNames() ? "names()" : "NAMES";
    }

    static Source write(RecordModel model, String codec) {
        return write(model, model, codec);
    }

    /** Writes one codec for two versions that have the same members. */
    static Source write(RecordModel model, RecordModel second, String codec) {
        RecordCodecWriter writer = new RecordCodecWriter(model, second, codec);
        writer.head();
        writer.decode();
        writer.encode();
        writer.out.close();
        return writer.out;
    }

    private void head() {
        out.openCodec(model.names(), codec, model.visibility(), model.unstable(), isBoth());
        if (hasNames()) {
            String table = out.json("Names");
            out.call("private static final " + table + " NAMES = " + table + ".of(", names(model), ");");
            if (hasOtherNames()) {
                out.call("private static final " + table + " NAMES_V2 = " + table + ".of(", names(second), ");");
            }
            out.blank();
        }
        out.constructor(codec, isBoth());
        if (hasOtherNames()) {
            out.open("private " + out.json("Names") + " names()")
                    .line("return second ? NAMES_V2 : NAMES;")
                    .close()
                    .blank();
        }
        out.ofVersion(
                model.names(),
                type,
                model.chooses() && codec.equals(model.names().codec()),
                model.visibility());
    }

    private static List<String> names(RecordModel model) {
        List<String> names = new ArrayList<>();
        model.here().forEach(component -> names.add('"' + component.jsonName() + '"'));
        if (!model.tag().isEmpty()) {
            names.add('"' + model.tag() + '"');
        }
        model.otherTags().forEach(tag -> names.add('"' + tag + '"'));
        return names;
    }

    /** Returns whether this is one codec for two versions with other names of their members. */
    private boolean hasOtherNames() {
        return !names(model).equals(names(second));
    }

    private boolean isBoth() {
        return model.version() != second.version();
    }

    /** Returns what the second version has in place of a component. */
    private Component inSecond(Component component) {
        return second.components().get(model.components().indexOf(component));
    }

    private boolean hasTag() {
        return !model.tag().isEmpty();
    }

    private boolean hasNames() {
        return hasTag() || !model.components().isEmpty() || !model.otherTags().isEmpty();
    }

    private void decode() {
        out.line("@Override").open("public " + type + " decode(" + out.json("JsonReader") + " in)");
        if (hasTag()) {
            out.line("int start = in.offset();").line("in.beginObject();");
            out.line("return decodeMembers(in, start, null);").close().blank();
            out.javadoc(
                    "Reads the rest of the object at {@code start}. Its tag is known if it is read as a variant of a"
                            + " union.");
            out.open(type + " decodeMembers(JsonReader in, int start, String tag)");
        } else if (!model.required().isEmpty() || model.checked()) {
            out.line("int start = in.offset();");
        }
        for (Component component : model.here()) {
            out.line(localType(component) + " " + read(component) + " = " + initial(component) + ";");
        }
        if (!hasTag()) {
            out.line("in.beginObject();");
        }
        if (hasNames()) {
            members();
        } else {
            out.open("while (in.nextMember())").line("in.skip();").close();
        }
        for (Component component : model.required()) {
            out.open("if (" + read(component) + " == null)");
            out.line("throw in.missing(" + quotedName(component) + ", start);").close();
        }
        construct();
        out.close().blank();
    }

    private void members() {
        out.line("int member;");
        out.open("while ((member = in.member(" + names + ")) != JsonReader.END)");
        out.open("switch (member)");
        for (int i = 0; i < model.here().size(); i++) {
            Component component = model.here().get(i);
            if (component.addedByDraft()) {
                ofDraft(component, i);
            } else {
                out.line("case " + i + " -> " + read(component) + " = "
                        + CodecName.either(value(component), value(inSecond(component))) + ";");
            }
        }
        if (hasTag()) {
            tag();
        }
        int other = model.here().size() + (hasTag() ? 1 : 0);
        for (int i = 0; i < model.otherTags().size(); i++) {
            out.line("case " + (other + i) + " -> in.skip();");
        }
        out.line("default -> "
                + (model.hasRest() ? "rest = " + out.schema("ProtocolMembers") + ".unknown(in, rest);" : "in.skip();"));
        out.close().close();
    }

    /** A malformed member of a draft is unknown, since a peer may follow no draft, or another one. */
    private void ofDraft(Component component, int index) {
        String absent = component.presence() == Presence.NULLABLE ? "" : ", " + component.absent(out);
        String codec = CodecName.either(
                component.shape().codec(out), inSecond(component).shape().codec(out));
        String value = out.support("Members") + ".optional(in, " + codec + absent + ")";
        out.open("case " + index + " ->");
        out.line("long at = in.mark();");
        out.open("try").line(read(component) + " = " + value + ";");
        out.next("catch (" + out.json("JsonException") + " malformed)").line("in.rewind(at);");
        out.line("rest = " + out.schema("ProtocolMembers") + ".malformed(in, " + names + ".get(" + index + "), rest);");
        out.close().close();
    }

    private void tag() {
        out.line("case " + model.here().size() + " -> " + out.support("Members") + ".tag(in, tag, \"" + model.tag()
                + "\", start);");
    }

    private void construct() {
        List<String> arguments = model.components().stream().map(this::argument).toList();
        if (!model.checked()) {
            out.call("return new " + type + "(", arguments, ");");
            return;
        }
        out.open("try").call("return new " + type + "(", arguments, ");");
        out.next("catch (IllegalArgumentException e)");
        out.line("throw in.invalid(e, start);").close();
    }

    private String argument(Component component) {
        if (!component.here()) {
            return component.absent(out);
        }
        return component.presence() == Presence.REST ? out.schema("ProtocolMembers") + ".rest(rest)" : read(component);
    }

    /** A required primitive is boxed until it is known to be present. */
    private String localType(Component component) {
        if (component.presence() == Presence.REST) {
            return out.schema("Rest") + ".Builder";
        }
        return component.isRequired() ? component.shape().type(out) : component.type(out);
    }

    private String initial(Component component) {
        boolean later = component.isRequired() || component.presence() == Presence.REST;
        return later ? "null" : component.absent(out);
    }

    private String value(Component component) {
        if (component.presence() == Presence.REST) {
            return out.schema("ProtocolMembers") + ".meta(in, rest)";
        }
        boolean strict = component.mayBeNull() || !component.lenient();
        if (component.isRequired() && strict) {
            return required(component);
        }
        String codec = component.shape().codec(out);
        if (component.presence() == Presence.CHANGE) {
            return out.schema("ProtocolMembers") + (component.lenient() ? ".lenientChange" : ".change") + "(in, "
                    + codec + ")";
        }
        String absent = component.presence() == Presence.NULLABLE ? "" : ", " + component.absent(out);
        return out.support("Members") + (component.lenient() ? ".lenient" : ".optional") + "(in, " + codec + absent
                + ")";
    }

    private String required(Component component) {
        if (component.shape() instanceof Shape.Scalar scalar && scalar.bounds() == null) {
            return "in." + scalar.kind().read + "()";
        }
        return component.shape().codec(out) + ".decode(in)";
    }

    private void encode() {
        out.line("@Override");
        out.open("public void encode(" + type + " value, " + out.json("JsonWriter") + " out)");
        out.line("out.beginObject();");
        if (model.isVariant()) {
            out.line("encodeMembers(value, out);").line("out.endObject();").close();
            out.blank();
            out.javadoc("Writes the members without the braces, as a union writes its tag before them.");
            out.open("void encodeMembers(" + type + " value, JsonWriter out)");
            encodeMembers();
            out.close();
        } else {
            encodeMembers();
            out.line("out.endObject();").close();
        }
    }

    private void encodeMembers() {
        for (Component component : model.components()) {
            if (!component.here()) {
                lacking(component);
            }
        }
        List<Component> here = model.here();
        for (int i = 0; i < here.size(); i++) {
            member(here.get(i), i);
        }
    }

    /** A component that a version lacks cannot be written in it. */
    private void lacking(Component component) {
        String get = "value." + component.name() + "()";
        String present = switch (component.presence()) {
            case EMPTY -> "!" + get + ".isEmpty()";
            case CHANGE -> "!" + get + ".isKeep()";
            case DEFAULTED ->
                component.primitive() && component.defaultTo().equals("false")
                        ? get
                        : get + " != " + component.absent(out);
            default -> get + " != null";
        };
        out.open("if (" + present + ")");
        out.line("throw " + out.support("Members") + ".lacks(\"" + model.names().nested() + "." + component.name()
                        + "\", " + model.version() + ");")
                .close();
    }

    private void nonNull(Component component, int index, String get) {
        String local = component.local("value", "out");
        out.line(component.type(out) + " " + local + " = " + get + ";");
        out.open("if (" + local + " == null)");
        out.line("throw " + out.support("Members") + ".requires(\""
                        + model.names().nested() + "." + component.name() + "\", " + model.version() + ");")
                .close();
        written(component, index, local);
    }

    private void member(Component component, int index) {
        String get = "value." + component.name() + "()";
        switch (component.presence()) {
            case REQUIRED -> {
                if (component.mayBeNull()) {
                    nonNull(component, index, get);
                } else {
                    written(component, index, get);
                }
            }
            case DEFAULTED -> defaulted(component, index, get);
            case EMPTY -> guarded("!" + get + ".isEmpty()", component, index, get);
            case REST -> out.line(get + ".write(out, " + names + ");");
            case CHANGE ->
                out.line(out.schema("ProtocolMembers") + ".write(out, " + names + ", " + index + ", " + get + ", "
                        + CodecName.either(writing(component), writing(inSecond(component))) + ");");
            case NULLABLE -> {
                String local = component.local("value", "out");
                out.line(component.type(out) + " " + local + " = " + get + ";");
                guarded(local + " != null", component, index, local);
            }
        }
    }

    private void defaulted(Component component, int index, String get) {
        if (component.defaultWritten()) {
            written(component, index, get);
        } else if (!component.primitive()) {
            // By identity: the first equals of a record costs a starting agent more than all of its JSON. A value that
            // is equal
            // but not the same is written, which says the same.
            guarded(get + " != " + component.absent(out), component, index, get);
        } else {
            guarded(component.absent(out).equals("true") ? "!" + get : get, component, index, get);
        }
    }

    private void guarded(String condition, Component component, int index, String value) {
        out.open("if (" + condition + ")");
        written(component, index, value);
        if (component.addedByDraft()) {
            out.next("else");
            out.line(out.schema("ProtocolMembers") + ".writeMalformed(out, " + names + ", " + index
                    + ", value.rest());");
        }
        out.close();
    }

    private void written(Component component, int index, String value) {
        out.line("out.name(" + names + ", " + index + ");");
        if (component.shape() instanceof Shape.Scalar scalar) {
            out.line("out." + scalar.kind().write + "(" + bounded(component, scalar.bounds(), value) + ");");
        } else {
            out.line(CodecName.call(writing(component), writing(inSecond(component)), ".encode(" + value + ", out);"));
        }
    }

    private String quotedName(Component component) {
        return CodecName.either(
                '"' + component.jsonName() + '"', '"' + inSecond(component).jsonName() + '"');
    }

    private String writing(Component component) {
        return component.shape().writingCodec(out);
    }

    private String bounded(Component component, Shape.@Nullable Bounds bounds, String value) {
        if (bounds == null || !bounds.inOneVersion()) {
            return value;
        }
        return out.support("Members") + ".bounded(\"" + model.names().nested() + "." + component.name() + "\", " + value
                + ", " + bounds.min() + "L, " + bounds.max() + "L, " + model.version() + ")";
    }

    /** Returns the variable that holds the value read. */
    private static String read(Component component) {
        return component.local("in", "start", "member", "tag", "e", "second");
    }
}
