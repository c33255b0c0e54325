package dev.acp4j.codegen;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;

/** Writes the codec of all objects of a package that have no members of their own. */
final class EmptyObjectsWriter {
    private final List<TypeElement> types;
    private final TypeName codec;
    private final Source out;

    private EmptyObjectsWriter(PackageElement origin, List<TypeElement> types) {
        this.types = types;
        String packageName = origin.getQualifiedName().toString();
        this.codec = Sharing.emptyObjects(packageName);
        this.out = new Source(new TypeName(packageName, "package-info"), codec.nested());
    }

    /** Returns nothing if the package has no such object. */
    static Optional<Source> write(PackageElement origin) {
        Map<String, TypeElement> all = Sharing.types(origin);
        all.values().removeIf(type -> !Sharing.isEmptyObject(type));
        if (all.isEmpty()) {
            return Optional.empty();
        }
        EmptyObjectsWriter writer = new EmptyObjectsWriter(origin, List.copyOf(all.values()));
        writer.head();
        writer.decode();
        writer.create();
        writer.encode();
        writer.out.close();
        return Optional.of(writer.out);
    }

    private void head() {
        String name = codec.nested();
        String table = out.json("Names");
        out.javadoc("Reads and writes the objects of this package that have no members of their own.");
        out.open("final class " + name + "<T extends " + out.schema("Extensible") + "> implements " + out.json("Codec")
                + "<T>");
        for (int i = 0; i < types.size(); i++) {
            TypeName type = TypeName.of(types.get(i));
            out.line("static final " + name + "<" + out.type(type) + "> " + type.constant() + " = new " + name + "<>("
                    + i + ");");
        }
        out.blank();
        out.line("private static final " + table + " NAMES = " + table + ".of(\"_meta\");")
                .blank();
        out.line("private final int type;").blank();
        out.open("private " + name + "(int type)").line("this.type = type;").close();
        out.blank();
    }

    private void decode() {
        String members = out.schema("ProtocolMembers");
        out.line("@Override").line("@SuppressWarnings(\"unchecked\")");
        out.open("public T decode(" + out.json("JsonReader") + " in)");
        out.line("int start = in.offset();");
        out.line(out.schema("Rest") + ".Builder rest = null;").line("in.beginObject();");
        out.line("int member;");
        out.open("while ((member = in.member(NAMES)) != JsonReader.END)");
        out.line("rest = member == 0 ? " + members + ".meta(in, rest) : " + members + ".unknown(in, rest);")
                .close();
        out.open("try").line("return (T) create(" + members + ".rest(rest));");
        out.next("catch (IllegalArgumentException e)");
        out.line("throw in.invalid(e, start);").close();
        out.close().blank();
    }

    /** With a return in each case, since the value of a switch would load all types; see {@link UnionCodecWriter}. */
    private void create() {
        out.open("private Object create(Rest rest)").open("switch (type)");
        for (int i = 0; i < types.size(); i++) {
            out.open((i == types.size() - 1 ? "default" : "case " + i) + " ->");
            out.line("return new " + out.type(TypeName.of(types.get(i))) + "(rest);")
                    .close();
        }
        out.close().close().blank();
    }

    private void encode() {
        out.line("@Override").open("public void encode(T value, " + out.json("JsonWriter") + " out)");
        out.line("out.beginObject();");
        out.line("value.rest().write(out, NAMES);");
        out.line("out.endObject();").close();
    }
}
