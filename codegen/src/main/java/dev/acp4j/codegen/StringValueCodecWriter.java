package dev.acp4j.codegen;

import java.util.List;

/** Writes the codec of a type that is a bare string. */
final class StringValueCodecWriter {
    private StringValueCodecWriter() {}

    static Source write(StringValueModel model) {
        Source out = new Source(model.names(), model.names().codec());
        String type = out.type(model.names());
        String codec = model.names().codec();
        out.openCodec(model.names(), codec, model.visibility(), model.unstable(), false);
        if (!model.constants().isEmpty()) {
            tables(model, out);
        }
        out.line("private " + codec + "() {}").blank();
        if (!model.constants().isEmpty()) {
            known(model, out);
        }
        decode(model, out);
        out.line("@Override");
        out.open("public void encode(" + type + " value, " + out.json("JsonWriter") + " out)");
        out.line("out.string(value.value());").close().close();
        return out;
    }

    private static void tables(StringValueModel model, Source out) {
        String type = out.type(model.names());
        String table = out.json("Names");
        List<String> constants =
                model.constants().stream().map(name -> type + "." + name).toList();
        out.call("private static final " + type + "[] KNOWN = {", constants, "};");
        List<String> values = constants.stream().map(name -> name + ".value()").toList();
        out.call("private static final " + table + " VALUES = " + table + ".of(", values, ");");
        out.blank();
    }

    private static void known(StringValueModel model, Source out) {
        out.javadoc("Returns the constants.");
        out.open("static " + out.list() + "<" + out.type(model.names()) + "> known()");
        out.line("return List.of(KNOWN);").close().blank();
    }

    private static void decode(StringValueModel model, Source out) {
        String type = out.type(model.names());
        out.line("@Override").open("public " + type + " decode(" + out.json("JsonReader") + " in)");
        if (!model.constants().isEmpty()) {
            out.line("int known = in.constant(VALUES);");
            out.open("if (known != JsonReader.UNKNOWN)")
                    .line("return KNOWN[known];")
                    .close();
        }
        out.line("int start = in.offset();");
        out.open("try").line("return " + type + ".of(in.string());");
        out.next("catch (IllegalArgumentException e)");
        out.line("throw in.invalid(e, start);").close();
        out.close().blank();
    }
}
