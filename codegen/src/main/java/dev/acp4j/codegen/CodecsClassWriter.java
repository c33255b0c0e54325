package dev.acp4j.codegen;

import java.util.Map;
import java.util.TreeMap;
import javax.annotation.processing.ProcessingEnvironment;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.ElementFilter;

/**
 * Writes the class that gives the codecs of a package. It has a method for each codec instead of a table, so that a
 * codec is loaded on first use.
 */
final class CodecsClassWriter {
    private final ProcessingEnvironment environment;
    private final Versions versions;
    private final Map<String, TypeElement> types = new TreeMap<>();

    private CodecsClassWriter(ProcessingEnvironment environment) {
        this.environment = environment;
        this.versions = new Versions(environment);
    }

    static Source write(PackageElement origin, ProcessingEnvironment environment) {
        CodecsClassWriter writer = new CodecsClassWriter(environment);
        writer.collect(ElementFilter.typesIn(origin.getEnclosedElements()));
        TypeName marked = new TypeName(origin.getQualifiedName().toString(), "package-info");
        Source out = new Source(marked, marked.codecs().nested());
        out.javadoc("Gives the codecs of the types of this package: reads and writes them as JSON.");
        out.open("public final class Codecs").line("private Codecs() {}");
        writer.types.values().forEach(type -> writer.methods(type, out));
        out.close();
        return out;
    }

    private void collect(Iterable<TypeElement> found) {
        for (TypeElement type : found) {
            if (TypeName.isPublic(type) && hasCodec(type)) {
                types.put(TypeName.of(type).codecMethod(), type);
            }
            collect(ElementFilter.typesIn(type.getEnclosedElements()));
        }
    }

    private boolean hasCodec(TypeElement type) {
        return Marks.has(type, Marks.CODABLE)
                || Marks.has(type, Marks.TAG)
                || StringValueModel.is(type)
                || TypeName.hasHandWrittenCodec(type, environment);
    }

    private void methods(TypeElement type, Source out) {
        TypeName names = TypeName.of(type);
        String returned = out.json("Codec") + "<" + out.type(names) + ">";
        boolean differs = versions.differs(type);
        String first = versions.codec(type, 1).in(out);
        out.blank()
                .javadoc("Returns the codec of {@link " + out.type(names) + "}" + (differs ? " for version 1." : "."));
        method(type, returned + " " + names.codecMethod() + "()", first, out);
        if (differs) {
            out.blank().javadoc("Returns the codec of {@link " + out.type(names) + "} for a version.");
            method(
                    type,
                    returned + " " + names.codecMethod() + "(" + out.schema("Version") + " version)",
                    "version == Version.V2 ? " + versions.codec(type, 2).in(out) + " : " + first,
                    out);
        }
    }

    private static void method(TypeElement type, String declared, String codec, Source out) {
        if (TypeName.isUnstable(type)) {
            out.line("@" + out.schema("Unstable"));
        }
        out.open("public static " + declared).line("return " + codec + ";").close();
    }
}
