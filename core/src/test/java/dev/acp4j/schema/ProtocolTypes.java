package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.json.Names;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.Tag;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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

    /** Returns the version of the first codec of a type. */
    static Version first(Class<?> type) {
        return only(type).filter(version -> version == 2).isPresent() ? Version.V2 : Version.V1;
    }

    private static Optional<Integer> only(Class<?> type) {
        In in = type.getAnnotation(In.class);
        Class<?> around = type.getEnclosingClass();
        return in == null && around != null
                ? only(around)
                : Optional.ofNullable(in).map(In::value);
    }

    /** Returns the variants of a union in its first version, without the one for what is not known. */
    static List<Class<?>> variants(Class<?> union) {
        return variants(union, first(union));
    }

    /** Returns the variants of a union in a version, without the one for what is not known. */
    static List<Class<?>> variants(Class<?> union, Version version) {
        return Arrays.stream(union.getPermittedSubclasses())
                .filter(type -> only(type).orElse(version.number()) == version.number())
                .filter(type -> version == Version.V2 || !isTaggedInV2Only(type, union))
                .flatMap(type -> type.isSealed() ? variants(type, version).stream() : Stream.of(type))
                .filter(type -> !type.getSimpleName().equals("Unknown"))
                .<Class<?>>map(type -> type)
                .toList();
    }

    private static boolean isTaggedInV2Only(Class<?> type, Class<?> union) {
        Tag tag = type.getAnnotation(Tag.class);
        return union == SessionUpdate.class && tag != null && tag.value().isEmpty();
    }

    /** Returns whether a type, or the one around it, is marked as a draft of a version. */
    static boolean isDraft(Class<?> type, Version version) {
        Draft draft = type.getAnnotation(Draft.class);
        Class<?> around = type.getEnclosingClass();
        return draft == null ? around != null && isDraft(around, version) : isOf(draft, version);
    }

    /** Returns whether a constant is marked as a draft of a version. */
    static boolean isDraft(Field field, Version version) {
        Draft draft = field.getAnnotation(Draft.class);
        return draft != null && isOf(draft, version);
    }

    private static boolean isOf(Draft draft, Version version) {
        return draft.value() == 0 || draft.value() == version.number();
    }

    /** Returns the names of the members that a generated codec knows, the tag among them. */
    static Set<String> memberNames(Codec<?> codec) {
        List<String> tables = isForVersion2(codec) ? List.of("NAMES_V2", "NAMES") : List.of("NAMES");
        return tables.stream()
                .flatMap(table -> field(codec.getClass(), table).stream())
                .findFirst()
                .map(field -> (Names) value(field))
                .map(names -> IntStream.range(0, names.size())
                        .mapToObj(names::get)
                        .collect(Collectors.toCollection(TreeSet::new)))
                .orElseGet(TreeSet::new);
    }

    /** Returns whether a codec is the one for version 2 of a class that has one for each version. */
    private static boolean isForVersion2(Codec<?> codec) {
        return field(codec.getClass(), "V2")
                .filter(field -> value(field).equals(codec))
                .isPresent();
    }

    private static Optional<Field> field(Class<?> type, String name) {
        return Arrays.stream(type.getDeclaredFields())
                .filter(field -> field.getName().equals(name))
                .findFirst();
    }

    /** Returns the constants that a version has. */
    static List<Object> constants(Class<?> type, Version version) {
        return constantFields(type)
                .filter(field -> !field.isAnnotationPresent(In.class)
                        || field.getAnnotation(In.class).value() == version.number())
                .map(ProtocolTypes::value)
                .toList();
    }

    /** Returns the public constants that a type has of itself. */
    static List<Object> constants(Class<?> type) {
        return constantFields(type).map(ProtocolTypes::value).toList();
    }

    private static Stream<Field> constantFields(Class<?> type) {
        return Arrays.stream(type.getDeclaredFields())
                .filter(field -> Modifier.isStatic(field.getModifiers()) && Modifier.isPublic(field.getModifiers()))
                .filter(field -> field.getType() == type);
    }

    @SuppressWarnings("unchecked")
    static Optional<Codec<Object>> codec(Class<?> type) {
        if (type == RequestId.class) {
            return Optional.of((Codec<Object>) (Codec<?>) RequestId.CODEC);
        }
        String flat = flat(type);
        return codec(flat + "Codec", "INSTANCE")
                .or(() -> codec("EmptyObjectCodec", constant(flat)))
                .or(() -> codec("StringValueCodec", constant(flat)));
    }

    /** Returns the codec of a type in a version. */
    static Optional<Codec<Object>> codec(Class<?> type, Version version) {
        if (version != Version.V2 || type == RequestId.class) {
            return codec(type);
        }
        String codec = flat(type) + "Codec";
        return codec(codec + "V2", "INSTANCE").or(() -> codec(codec, "V2")).or(() -> codec(type));
    }

    private static String flat(Class<?> type) {
        return type.getName().substring(type.getPackageName().length() + 1).replace("$", "");
    }

    private static String constant(String flat) {
        return flat.replaceAll("(?<=[a-z0-9])(?=[A-Z])", "_").toUpperCase(Locale.ROOT);
    }

    @SuppressWarnings("unchecked")
    private static Optional<Codec<Object>> codec(String name, String constant) {
        return exists(name) ? field(load(name), constant).map(field -> (Codec<Object>) value(field)) : Optional.empty();
    }

    static boolean exists(String name) {
        try {
            Class.forName(ProtocolTypes.class.getPackageName() + "." + name);
            return true;
        } catch (ClassNotFoundException e) {
            return false;
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
            constant.setAccessible(true);
            return constant.get(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
