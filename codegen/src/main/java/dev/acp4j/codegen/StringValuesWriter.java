package dev.acp4j.codegen;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.lang.model.element.PackageElement;

/** Writes the codec of all types of a package that are bare strings. Those with constants come first. */
final class StringValuesWriter {
    private final List<StringValueModel> sets = new ArrayList<>();
    private final List<StringValueModel> types;
    private final String codec;
    private final Source out;

    private StringValuesWriter(PackageElement origin, List<StringValueModel> all) {
        String packageName = origin.getQualifiedName().toString();
        this.codec = Sharing.strings(packageName).nested();
        this.out = new Source(new TypeName(packageName, "package-info"), codec);
        List<StringValueModel> others = new ArrayList<>();
        all.forEach(type -> (type.constants().isEmpty() ? others : sets).add(type));
        this.types = new ArrayList<>(sets);
        this.types.addAll(others);
    }

    /** Returns nothing if the package has no such type. */
    static Optional<Source> write(PackageElement origin) {
        List<StringValueModel> all = Sharing.types(origin).values().stream()
                .filter(Sharing::isString)
                .map(StringValueModel::of)
                .toList();
        if (all.isEmpty()) {
            return Optional.empty();
        }
        StringValuesWriter writer = new StringValuesWriter(origin, all);
        writer.head();
        writer.constants();
        writer.decode();
        writer.create();
        writer.encode();
        writer.out.close();
        return Optional.of(writer.out);
    }

    private void head() {
        out.javadoc("Reads and writes the strings of this package that have a type of their own.");
        out.open("final class " + codec + "<T extends " + out.schema("StringValue") + "> implements "
                + out.json("Codec") + "<T>");
        for (int i = 0; i < types.size(); i++) {
            TypeName type = types.get(i).names();
            out.line("static final " + codec + "<" + out.type(type) + "> " + type.constant() + " = new " + codec + "<>("
                    + i + ");");
        }
        out.blank();
        out.javadoc("Types from here on have no constants.");
        out.line("private static final int WITHOUT_CONSTANTS = " + sets.size() + ";")
                .blank();
        out.line("private final int type;");
        out.javadoc("Made on first use, maybe by two threads, so that no type is loaded before.");
        out.line("private Known loaded;").blank();
        out.open("private " + codec + "(int type)").line("this.type = type;").close();
        out.blank();
    }

    private void constants() {
        out.javadoc("The known values of a type, and their texts.");
        out.open("private static final class Known");
        out.line("final StringValue[] values;")
                .line("final " + out.json("Names") + " names;")
                .blank();
        out.open("Known(StringValue... values)");
        out.line("String[] texts = new String[values.length];");
        out.open("for (int i = 0; i < texts.length; i++)")
                .line("texts[i] = values[i].value();")
                .close();
        out.line("this.values = values;").line("this.names = Names.of(texts);");
        out.close().close().blank();
        out.open("private Known loaded()").line("Known found = loaded;");
        out.open("if (found == null)")
                .line("found = new Known(values());")
                .line("loaded = found;")
                .close();
        out.line("return found;").close().blank();
        out.open("private StringValue[] values()").open("switch (type)");
        for (int i = 0; i < sets.size(); i++) {
            String type = out.type(sets.get(i).names());
            out.open("case " + i + " ->");
            out.call(
                    "return new StringValue[] {",
                    sets.get(i).constants().stream()
                            .map(constant -> type + "." + constant)
                            .toList(),
                    "};");
            out.close();
        }
        out.open("default ->").line("return new StringValue[0];").close();
        out.close().close().blank();
        out.javadoc("Returns the constants.");
        out.line("@SuppressWarnings(\"unchecked\")");
        out.open(out.list() + "<T> known()");
        out.line("return (List<T>) List.of(loaded().values);").close().blank();
    }

    private void decode() {
        out.line("@Override").line("@SuppressWarnings(\"unchecked\")");
        out.open("public T decode(" + out.json("JsonReader") + " in)");
        out.open("if (type < WITHOUT_CONSTANTS)");
        out.line("Known known = loaded();").line("int constant = in.constant(known.names);");
        out.open("if (constant != JsonReader.UNKNOWN)")
                .line("return (T) known.values[constant];")
                .close();
        out.close();
        out.line("int start = in.offset();");
        out.open("try").line("return (T) create(in.string());");
        out.next("catch (IllegalArgumentException e)");
        out.line("throw in.invalid(e, start);").close();
        out.close().blank();
    }

    /** With a return in each case, since the value of a switch would load all types; see {@link UnionCodecWriter}. */
    private void create() {
        out.open("private Object create(String value)").open("switch (type)");
        for (int i = 0; i < types.size(); i++) {
            out.open((i == types.size() - 1 ? "default" : "case " + i) + " ->");
            out.line("return " + out.type(types.get(i).names()) + ".of(value);").close();
        }
        out.close().close().blank();
    }

    private void encode() {
        out.line("@Override").open("public void encode(T value, " + out.json("JsonWriter") + " out)");
        out.line("out.string(value.value());").close();
    }
}
