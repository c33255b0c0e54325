package dev.acp4j.codegen;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.annotation.processing.ProcessingEnvironment;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;

/**
 * Writes the table of a catalogue of methods: a number for each, and the codecs of that number. It switches over the
 * number, so a codec is loaded on first use and not with the catalogue.
 */
final class MethodTableWriter {
    /** A method: its constant, the only version that has it, and its types. */
    private record Row(String name, Optional<Integer> only, TypeElement params, TypeElement result) {
        boolean isIn(int version) {
            return only.orElse(version) == version;
        }

        boolean isNotification() {
            return result.getQualifiedName().contentEquals("java.lang.Void");
        }
    }

    private final Versions versions;
    private final TypeName catalogue;
    private final List<Row> rows = new ArrayList<>();
    private final Source out;

    private MethodTableWriter(TypeElement catalogue, ProcessingEnvironment environment) {
        this.versions = new Versions(environment);
        this.catalogue = TypeName.of(catalogue);
        this.out = new Source(this.catalogue, this.catalogue.flat() + "Table");
        for (VariableElement field : ElementFilter.fieldsIn(catalogue.getEnclosedElements())) {
            if (field.getModifiers().contains(Modifier.PUBLIC)) {
                rows.add(row(field));
            }
        }
    }

    private static Row row(VariableElement field) {
        if (!(field.asType() instanceof DeclaredType type)
                || !((TypeElement) type.asElement()).getQualifiedName().contentEquals(Marks.METHOD)) {
            throw new MisuseException("the public constants of a catalogue are of type Method", field);
        }
        return new Row(
                field.getSimpleName().toString(),
                Versions.only(field),
                argument(type.getTypeArguments().getFirst()),
                argument(type.getTypeArguments().getLast()));
    }

    private static TypeElement argument(TypeMirror type) {
        return (TypeElement) ((DeclaredType) type).asElement();
    }

    static Source write(TypeElement catalogue, ProcessingEnvironment environment) {
        MethodTableWriter writer = new MethodTableWriter(catalogue, environment);
        writer.head();
        writer.codecs("params", writer.rows, true);
        writer.codecs(
                "result",
                writer.rows.stream().filter(row -> !row.isNotification()).toList(),
                false);
        writer.all();
        writer.out.close();
        return writer.out;
    }

    private void head() {
        String table = catalogue.flat() + "Table";
        out.javadoc("The methods of {@link " + catalogue.nested() + "}, each with a number.");
        out.open("final class " + table + " implements " + out.schema("Method") + ".Table");
        out.line("static final " + table + " INSTANCE = new " + table + "();").blank();
        for (int i = 0; i < rows.size(); i++) {
            out.line("static final int " + rows.get(i).name() + " = " + i + ";");
        }
        out.blank().line("private " + table + "() {}").blank();
    }

    private void codecs(String name, List<Row> ofRows, boolean params) {
        out.line("@Override");
        out.open("public " + out.json("Codec") + "<?> " + name + "(int row, " + out.schema("Version") + " version)");
        if (ofRows.isEmpty()) {
            out.line("throw new IllegalArgumentException(\"no row \" + row);")
                    .close()
                    .blank();
            return;
        }
        out.open("return switch (row)");
        for (Row row : ofRows) {
            TypeElement type = params ? row.params() : row.result();
            String first = versions.codec(type, row.only().orElse(1)) + ".INSTANCE";
            String second = versions.codec(type, row.only().orElse(2)) + ".INSTANCE";
            out.line("case " + row.name() + " -> "
                    + (first.equals(second) ? first : "version == Version.V2 ? " + second + " : " + first) + ";");
        }
        out.line("default -> throw new IllegalArgumentException(\"no row \" + row);");
        out.closeWith(";").close().blank();
    }

    private void all() {
        String method = out.schema("Method") + "<?, ?>";
        out.javadoc("Returns the methods that a version has, in their order.");
        out.open("static " + out.list() + "<" + method + "> all(" + out.schema("Version") + " version)");
        out.open("return switch (version)");
        for (int version = 1; version <= 2; version++) {
            int wanted = version;
            List<String> names = rows.stream()
                    .filter(row -> row.isIn(wanted))
                    .map(row -> catalogue.nested() + "." + row.name())
                    .toList();
            out.call("case V" + version + " -> List.of(", names, ");");
        }
        out.closeWith(";").close();
    }
}
