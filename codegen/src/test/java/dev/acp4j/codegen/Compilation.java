package dev.acp4j.codegen;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Runs the processor on a few lines of source, beside just enough of the package that they belong to. */
final class Compilation {
    private static final List<String> SUPPORT = List.of(
            "@interface Codable {}",
            "@interface CodecsClass {}",
            "@interface Tagged { String value(); Class<?> untagged() default void.class; int untaggedIn() default 0; }",
            "@interface Tag { String value() default \"\"; String v2() default \"\"; }",
            "@interface OptionalMember {}",
            "@interface DefaultTo { String value(); boolean written() default false; }",
            "@interface DefaultOnError { int value() default 0; }",
            "@interface SkipInvalidItems { int value() default 0; }",
            "@interface Name { String value() default \"\"; String v2() default \"\"; }",
            "@interface Range { long min() default 0; long max() default Long.MAX_VALUE; int only() default 0; }",
            "@interface In { int value(); }",
            "@interface Draft { int value() default 0; }",
            "@interface Required { int value(); }",
            "@interface CodedBy { Class<?> value() default void.class; Class<?> v1() default void.class;"
                    + " Class<?> v2() default void.class; }",
            "@interface Together {}",
            "class Members {}",
            "class ListCodec {}",
            "class MapCodec {}",
            "class StringCodec {}",
            "class BooleanCodec {}",
            "class LongCodec {}");

    private static final List<String> SCHEMA = List.of(
            "@interface Unstable {}",
            "interface Change<T> {}",
            "class Rest {}",
            "interface Extensible {}",
            "class ProtocolMembers {}",
            "class StringValue {}",
            "enum Version { V1, V2 }");

    private static final List<String> JSON = List.of(
            "class RawJson { public static final Object CODEC = 1; }",
            "interface Codec<T> {}",
            "class JsonException {}",
            "class JsonReader {}",
            "class JsonWriter {}",
            "class Names {}");

    private static final Pattern NAME = Pattern.compile("(?:interface|class|record|enum) (\\w+)");

    private final Path output;
    private final DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();

    private Compilation(Path output) {
        this.output = output;
    }

    /** Takes types of {@code dev.acp4j.schema}, none of them public, without package and imports. */
    static Compilation of(Path output, String types) {
        return run(output, source("dev.acp4j.schema", "Types", types));
    }

    /** Takes a type of {@code dev.acp4j.schema}, and one of another package. */
    static Compilation of(Path output, String type, String otherPackage, String otherType) {
        return run(output, type("dev.acp4j.schema", type), type(otherPackage, otherType));
    }

    /** Takes public types of {@code dev.acp4j.schema}, whose codecs one class gives, and one of another package. */
    static Compilation ofCodecsClass(Path output, List<String> types, String otherPackage, String otherType) {
        List<JavaFileObject> sources = new ArrayList<>();
        sources.add(source(
                "dev/acp4j/schema/package-info", "@dev.acp4j.schema.codec.CodecsClass package dev.acp4j.schema;"));
        types.forEach(type -> sources.add(type("dev.acp4j.schema", type)));
        sources.add(type(otherPackage, otherType));
        return run(output, sources.toArray(JavaFileObject[]::new));
    }

    private static Compilation run(Path output, JavaFileObject... types) {
        List<JavaFileObject> sources = new ArrayList<>(List.of(types));
        SUPPORT.forEach(type -> sources.add(type("dev.acp4j.schema.codec", type)));
        SCHEMA.forEach(type -> sources.add(type("dev.acp4j.schema", type)));
        JSON.forEach(type -> sources.add(type("dev.acp4j.json", type)));
        Compilation compilation = new Compilation(output);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        String folder = output.toString();
        List<String> options =
                List.of("-proc:only", "-s", folder, "-d", folder, "-cp", System.getProperty("java.class.path"));
        JavaCompiler.CompilationTask task =
                compiler.getTask(null, null, compilation.diagnostics, options, null, sources);
        task.setProcessors(List.of(new CodecProcessor()));
        task.call();
        return compilation;
    }

    /** Makes the file of one public type. */
    private static JavaFileObject type(String packageName, String type) {
        Matcher name = NAME.matcher(type);
        if (!name.find()) {
            throw new IllegalArgumentException(type);
        }
        return source(packageName, name.group(1), type.replaceFirst("(?=@?interface|class|record|enum)", "public "));
    }

    private static JavaFileObject source(String packageName, String name, String types) {
        String imports = """
                import dev.acp4j.json.RawJson;
                import dev.acp4j.schema.*;
                import dev.acp4j.schema.codec.*;
                import java.util.List;
                import java.util.Map;
                import org.jspecify.annotations.Nullable;
                """;
        String path = packageName.replace('.', '/') + "/" + name;
        return source(path, "package " + packageName + ";\n" + imports + types);
    }

    private static JavaFileObject source(String name, String text) {
        return new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }

    /** Returns the errors, without where they are. */
    List<String> errors() {
        List<String> errors = new ArrayList<>();
        for (Diagnostic<?> diagnostic : diagnostics.getDiagnostics()) {
            if (diagnostic.getKind() == Diagnostic.Kind.ERROR) {
                errors.add(diagnostic.getMessage(null));
            }
        }
        return errors;
    }

    /** Returns the text of a generated type of {@code dev.acp4j.schema}. */
    String generated(String type) {
        return generated("dev.acp4j.schema", type);
    }

    String generated(String packageName, String type) {
        try {
            return Files.readString(output.resolve(packageName.replace('.', '/') + "/" + type + ".java"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
