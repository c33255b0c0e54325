package dev.acp4j.codegen;

import java.util.List;

/**
 * Writes the codec of a union: it searches for the tag at any position, and delegates to the variant's codec, which
 * reads the rest of the object if the tag is first, as most programs write it, or else the whole object again.
 */
final class UnionCodecWriter {
    private final UnionModel model;
    private final UnionModel second;
    private final String codec;
    private final Source out;
    private final String type;

    private UnionCodecWriter(UnionModel model, UnionModel second, String codec) {
        this.model = model;
        this.second = second;
        this.codec = codec;
        this.out = new Source(model.names(), codec);
        this.type = out.type(model.names());
    }

    static Source write(UnionModel model, String codec) {
        return write(model, model, codec);
    }

    /** Writes one codec for two versions that have the same variants. */
    static Source write(UnionModel model, UnionModel second, String codec) {
        UnionCodecWriter writer = new UnionCodecWriter(model, second, codec);
        writer.head();
        writer.decode();
        writer.variant();
        writer.drafts();
        writer.encode();
        writer.encodeMembers();
        writer.out.close();
        return writer.out;
    }

    private void head() {
        String table = out.json("Names");
        out.openCodec(model.names(), codec, model.visibility(), model.unstable(), isBoth());
        out.line("private static final " + table + " TAG = " + table + ".of(\"" + model.member() + "\");");
        List<String> tags = model.tagged().stream()
                .map(variant -> '"' + variant.tag() + '"')
                .toList();
        out.call("private static final " + table + " TAGS = " + table + ".of(", tags, ");");
        out.blank();
        out.constructor(codec, isBoth());
        out.ofVersion(
                model.names(),
                type,
                model.chooses() && codec.equals(model.names().codec()),
                model.visibility());
    }

    private boolean isBoth() {
        return model.version() != second.version();
    }

    private CodecName inSecond(UnionModel.Variant variant) {
        return second.variants().get(model.variants().indexOf(variant)).codec();
    }

    /** Returns a call of the codec of a variant; of one of two if the versions differ in it. */
    private String call(UnionModel.Variant variant, String call) {
        CodecName first = variant.codec();
        CodecName other = inSecond(variant);
        return first.holder().equals(other.holder())
                ? CodecName.call(first.in(out), other.in(out), call)
                : CodecName.either(first.in(out) + call, other.in(out) + call);
    }

    private void decode() {
        out.line("@Override").open("public " + type + " decode(" + out.json("JsonReader") + " in)");
        out.line("int start = in.offset();");
        out.line("long object = in.mark();");
        out.line("boolean first = true;");
        out.line("in.beginObject();");
        out.line("int member;");
        out.open("while ((member = in.member(TAG)) != JsonReader.END)");
        out.open("if (member == 0" + (model.untagged().isPresent() ? " && !in.tryNull())" : ")"));
        out.line("return variant(in, start, object, first);").close();
        if (model.untagged().isPresent()) {
            out.open("if (member != 0)").line("in.skip();").close();
        } else {
            out.line("in.skip();");
        }
        out.line("first = false;").close();
        if (model.untagged().isPresent()) {
            out.line("in.rewind(object);");
            out.line("return " + call(model.untagged().get(), ".decode(in)") + ";");
        } else {
            out.line("throw in.missing(\"" + model.member() + "\", start);");
        }
        out.close().blank();
    }

    private void variant() {
        out.javadoc("Reads the tag at the cursor, then the object around it, or its rest.");
        out.open("private " + modifier() + type + " variant(JsonReader in, int start, long object, boolean first)");
        out.line("int tag = in.constant(TAGS);");
        out.open("if (tag == JsonReader.UNKNOWN)");
        out.line("String unknown = in.string();");
        out.line("in.rewind(object);");
        out.open("try").line("return new " + type + ".Unknown(unknown, in.raw());");
        out.next("catch (" + out.json("JsonException") + " e)");
        out.line("throw in.invalid(e.messageWithoutValue(), start);").close();
        out.close();
        out.open("if (!first)")
                .line("in.rewind(object);")
                .line("in.beginObject();")
                .close();
        List<UnionModel.Variant> stable = model.tagged().stream()
                .filter(variant -> !variant.addedByDraft())
                .toList();
        if (stable.size() < model.tagged().size()) {
            cases(stable, "draft(in, start, object, tag)");
        } else {
            cases(stable, "");
        }
        out.close().blank();
    }

    /** Drafts are read apart: the method above is short for the sake of variants that are read all the time. */
    private void drafts() {
        List<UnionModel.Variant> drafts =
                model.tagged().stream().filter(UnionModel.Variant::addedByDraft).toList();
        if (drafts.isEmpty()) {
            return;
        }
        out.javadoc("Reads a variant of a draft. A malformed one is unknown, since a peer may follow another draft.");
        out.open("private " + modifier() + type + " draft(JsonReader in, int start, long object, int tag)");
        out.open("try");
        cases(drafts, "");
        out.next("catch (JsonException e)");
        out.line("in.rewind(object);").line("return new " + type + ".Unknown(TAGS.get(tag), in.raw());");
        out.close().close().blank();
    }

    /**
     * Writes a switch with a return in each case. The value of a switch expression would be of the common class of all
     * variants, and to verify that, the JVM loads each of them when the codec is loaded.
     */
    private void cases(List<UnionModel.Variant> variants, String otherwise) {
        List<UnionModel.Variant> tagged = model.tagged();
        out.open("switch (tag)");
        for (UnionModel.Variant variant : variants) {
            boolean isLast = otherwise.isEmpty() && variant.equals(variants.getLast());
            out.open((isLast ? "default" : "case " + tagged.indexOf(variant)) + " ->");
            if (variant.readsOn()) {
                out.line("return " + call(variant, ".decodeMembers(in, start, TAGS.get(tag))") + ";");
            } else {
                out.line("in.rewind(object);").line("return " + call(variant, ".decode(in)") + ";");
            }
            out.close();
        }
        if (!otherwise.isEmpty()) {
            out.open("default ->").line("return " + otherwise + ";").close();
        }
        out.close();
    }

    private void encode() {
        out.line("@Override");
        out.open("public void encode(" + type + " value, " + out.json("JsonWriter") + " out)");
        for (TypeName unknown : model.unknown()) {
            out.open("if (value instanceof " + out.type(unknown) + " unknown)");
            out.line("out.raw(unknown.raw());").line("return;").close();
        }
        out.line("out.beginObject();")
                .line("encodeMembers(value, out);")
                .line("out.endObject();")
                .close()
                .blank();
    }

    private void encodeMembers() {
        out.javadoc("Writes the tag and the members of a known variant, without the braces.");
        out.open("void encodeMembers(" + type + " value, JsonWriter out)");
        List<UnionModel.Variant> tagged = model.tagged();
        String before = "";
        for (UnionModel.Variant variant : model.variants()) {
            String condition = "if (value instanceof " + out.type(variant.names()) + " variant)";
            if (before.isEmpty()) {
                out.open(condition);
            } else {
                out.next(before + condition);
            }
            before = "else ";
            if (!model.isUntagged(variant)) {
                out.line("out.name(TAG, 0);").line("out.string(TAGS, " + tagged.indexOf(variant) + ");");
            }
            encodeMembers(variant);
        }
        if (model.lacksVariants()) {
            out.next("else");
            out.line("throw " + out.support("Members") + ".lacks(value.getClass().getSimpleName(), " + model.version()
                    + ");");
        }
        out.close().close();
    }

    private void encodeMembers(UnionModel.Variant variant) {
        String call = ".encodeMembers(variant, out)";
        CodecName first = variant.codec();
        CodecName other = inSecond(variant);
        if (first.holder().equals(other.holder())) {
            out.line(call(variant, call) + ";");
            return;
        }
        out.open("if (second)").line(other.in(out) + call + ";");
        out.next("else").line(first.in(out) + call + ";").close();
    }

    /** The methods that choose a codec by the version are not static. */
    private String modifier() {
        return isBoth() ? "" : "static ";
    }
}
