package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.rpc.RequestId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The types of the package under test, found among its class files. */
final class ProtocolTypes {
    private ProtocolTypes() {}

    /** Returns all types of the package, those nested in others too. */
    static List<Class<?>> all() {
        try {
            Path root = Path.of(Meta.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            try (Stream<Path> files = Files.list(root.resolve("dev/acp4j/schema"))) {
                return files.map(file -> file.getFileName().toString())
                        .filter(name -> name.endsWith(".class") && !name.startsWith("package-info"))
                        .sorted()
                        .<Class<?>>map(name -> load(name.substring(0, name.length() - ".class".length())))
                        .toList();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the records and strings that have a codec. */
    static List<Class<?>> codedRecords() {
        return all().stream()
                .filter(type -> type.isRecord() || isString(type))
                .filter(type -> codec(type).isPresent())
                .toList();
    }

    static boolean isString(Class<?> type) {
        return type.getSuperclass() == StringValue.class;
    }

    /** Returns the unions that have a codec. */
    static List<Class<?>> codedUnions() {
        return all().stream()
                .filter(Class::isSealed)
                .filter(type -> codec(type).isPresent())
                .toList();
    }

    /** Returns the variants of a union, without the one for what is not known. */
    static List<Class<?>> variants(Class<?> union) {
        return Arrays.stream(union.getPermittedSubclasses())
                .flatMap(type -> type.isSealed() ? variants(type).stream() : Stream.of(type))
                .filter(type -> !type.getSimpleName().equals("Unknown"))
                .<Class<?>>map(type -> type)
                .toList();
    }

    /** Returns the public constants that a type has of itself. */
    static List<Object> constants(Class<?> type) {
        return Arrays.stream(type.getDeclaredFields())
                .filter(field -> Modifier.isStatic(field.getModifiers()) && Modifier.isPublic(field.getModifiers()))
                .filter(field -> field.getType() == type)
                .map(ProtocolTypes::value)
                .toList();
    }

    @SuppressWarnings("unchecked")
    static Optional<Codec<Object>> codec(Class<?> type) {
        if (type == RequestId.class) {
            return Optional.of((Codec<Object>) (Codec<?>) RequestId.CODEC);
        }
        String flat =
                type.getName().substring(type.getPackageName().length() + 1).replace("$", "");
        try {
            Class<?> codec = Class.forName(type.getPackageName() + "." + flat + "Codec");
            return Optional.of((Codec<Object>) value(codec.getDeclaredField("INSTANCE")));
        } catch (ClassNotFoundException e) {
            return Optional.empty();
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(flat + "Codec has no INSTANCE", e);
        }
    }

    static Class<?> load(String name) {
        try {
            return Class.forName(ProtocolTypes.class.getPackageName() + "." + name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object value(Field constant) {
        try {
            return constant.get(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
