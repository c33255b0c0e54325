package dev.acp4j.codegen;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
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
    /** A method: its constant, and its types. */
    private record Row(VariableElement field, TypeElement params, TypeElement result) {
        String name() {
            return field.getSimpleName().toString();
        }

        Optional<Integer> only() {
            return Versions.only(field);
        }

        boolean isStable(int version) {
            return Versions.has(field, version) && !Versions.isDraft(field, version);
        }

        boolean isDraft(int version) {
            return Versions.has(field, version) && Versions.isDraft(field, version);
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
                field,
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
        writer.list("all", "the stable methods of a version, in their order", Row::isStable);
        writer.list("drafts", "the methods that drafts of a version have, in their order", Row::isDraft);
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
            String first = codec(type, row.only().orElse(1));
            String second = codec(type, row.only().orElse(2));
            out.line("case " + row.name() + " -> "
                    + (first.equals(second) ? first : "version == Version.V2 ? " + second + " : " + first) + ";");
        }
        out.line("default -> throw new IllegalArgumentException(\"no row \" + row);");
        out.closeWith(";").close().blank();
    }

    private String codec(TypeElement type, int version) {
        return ShapeReader.hasPublicCodec(type)
                ? out.type(TypeName.of(type)) + ".CODEC"
                : versions.codec(type, version).in(out);
    }

    private void list(String name, String what, BiPredicate<Row, Integer> has) {
        String method = out.schema("Method") + "<?, ?>";
        out.javadoc("Returns " + what + ".");
        out.open("static " + out.list() + "<" + method + "> " + name + "(" + out.schema("Version") + " version)");
        out.open("if (version == " + out.schema("Version") + ".V2)");
        out.call("return List.of(", names(has, 2), ");").close();
        out.call("return List.of(", names(has, 1), ");").close().blank();
    }

    private List<String> names(BiPredicate<Row, Integer> has, int version) {
        return rows.stream()
                .filter(row -> has.test(row, version))
                .map(row -> catalogue.nested() + "." + row.name())
                .toList();
    }
}
