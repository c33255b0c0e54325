package dev.acp4j.mcp;

import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Records of users as JSON, and the JSON Schema of their components. */
final class Records {
    private Records() {}

    /**
     * Returns the schema of a record.
     *
     * @throws IllegalArgumentException when a component has a type that is not supported, or the record is not
     *     accessible
     */
    static RawJson schema(Class<?> type) {
        JsonWriter out = new JsonWriter();
        schema(type, "", new HashSet<>(), out);
        return out.toRawJson();
    }

    /**
     * Returns the schema of a record that people fill in: it has no member that is an object or a list.
     *
     * @throws IllegalArgumentException when a component has a type that is not supported there
     */
    static RawJson form(Class<?> type) {
        for (RecordComponent component : type.getRecordComponents()) {
            if (!isChoice(component)) {
                String unused = simple(component.getType());
            }
        }
        return schema(type);
    }

    /** Whether a component is one of an enum, or several. */
    private static boolean isChoice(RecordComponent component) {
        Class<?> type = component.getType();
        return type.isEnum()
                || (type.equals(List.class)
                        && raw(element(component.getGenericType())).isEnum());
    }

    /** Returns the schema of a record that people complete: it says what stands in the fields at first. */
    static RawJson form(Record defaults) {
        Members schema = Members.of(form(defaults.getClass()));
        Members properties = schema.object("properties");
        for (var value : Members.of(json(defaults)).all().entrySet()) {
            RawJson field = properties
                    .object(value.getKey())
                    .with("default", value.getValue())
                    .json();
            properties = properties.with(value.getKey(), field);
        }
        return schema.with("properties", properties.json()).json();
    }

    /**
     * Returns the schema of a record that consists of texts.
     *
     * @throws IllegalArgumentException when a component is neither a string nor an enum
     */
    static RawJson texts(Class<?> type) {
        for (RecordComponent component : type.getRecordComponents()) {
            if (!component.getType().isEnum() && !component.getType().equals(String.class)) {
                throw new IllegalArgumentException("the component " + component.getName() + " of " + type.getName()
                        + " must be a String or an enum, and is "
                        + component.getType().getName());
            }
        }
        return schema(type);
    }

    /** Returns the arguments of a prompt whose schema this is. */
    static List<RawJson> arguments(RawJson schema) {
        Members members = Members.of(schema);
        List<RawJson> required = members.list("required");
        List<RawJson> arguments = new ArrayList<>();
        members.object("properties")
                .all()
                .forEach((name, property) -> arguments.add(Link.object(out -> {
                    out.name("name");
                    out.string(name);
                    String description = Members.of(property).text("description");
                    if (description != null) {
                        out.name("description");
                        out.string(description);
                    }
                    out.name("required");
                    out.bool(required.contains(RawJson.string(name)));
                })));
        return arguments;
    }

    private static void schema(Type type, String description, Set<Class<?>> around, JsonWriter out) {
        out.beginObject();
        Class<?> raw = raw(type);
        if (raw.isRecord()) {
            if (!around.add(raw)) {
                throw new IllegalArgumentException("the record " + raw.getName() + " contains itself");
            }
            members(raw, around, out);
            around.remove(raw);
        } else if (raw.equals(List.class)) {
            type(out, "array");
            out.name("items");
            schema(element(type), "", around, out);
        } else if (raw.isEnum()) {
            type(out, "string");
            out.name("enum");
            out.beginArray();
            for (Object constant : raw.getEnumConstants()) {
                out.string(((Enum<?>) constant).name());
            }
            out.endArray();
        } else if (!raw.equals(RawJson.class)) {
            type(out, simple(raw));
        }
        if (!description.isEmpty()) {
            out.name("description");
            out.string(description);
        }
        out.endObject();
    }

    private static void members(Class<?> raw, Set<Class<?>> around, JsonWriter out) {
        type(out, "object");
        out.name("properties");
        out.beginObject();
        for (RecordComponent component : raw.getRecordComponents()) {
            ToolServer.Description description = component.getAnnotation(ToolServer.Description.class);
            out.name(component.getName());
            schema(component.getGenericType(), description == null ? "" : description.value(), around, out);
        }
        out.endObject();
        out.name("required");
        out.beginArray();
        Set<String> nullable = NullableComponents.of(raw);
        for (RecordComponent component : raw.getRecordComponents()) {
            if (!nullable.contains(component.getName()) && !isNullable(component)) {
                out.string(component.getName());
            }
        }
        out.endArray();
        var unused = constructor(raw);
    }

    private static void type(JsonWriter out, String name) {
        out.name("type");
        out.string(name);
    }

    private static String simple(Class<?> raw) {
        return switch (raw.getName()) {
            case "java.lang.String" -> "string";
            case "boolean", "java.lang.Boolean" -> "boolean";
            case "int", "long", "java.lang.Integer", "java.lang.Long" -> "integer";
            case "double", "java.lang.Double" -> "number";
            default ->
                throw new IllegalArgumentException(
                        "a component of the type " + raw.getName() + " is not supported; supported are String, boolean,"
                                + " int, long, double, enums, records, RawJson, and lists of these");
        };
    }

    private static Class<?> raw(Type type) {
        if (type instanceof Class<?> raw) {
            return raw;
        }
        if (type instanceof ParameterizedType generic && generic.getRawType() instanceof Class<?> raw) {
            return raw;
        }
        throw new IllegalArgumentException("a component of the type " + type + " is not supported");
    }

    private static Type element(Type list) {
        if (list instanceof ParameterizedType generic) {
            return generic.getActualTypeArguments()[0];
        }
        throw new IllegalArgumentException("a list needs the type of its elements");
    }

    /** For classes whose files cannot be read, as in a native image. */
    private static boolean isNullable(RecordComponent component) {
        AnnotatedType type = component.getAnnotatedType();
        return Arrays.stream(type.getAnnotations())
                .anyMatch(one -> one.annotationType().getSimpleName().equals("Nullable"));
    }

    private static Constructor<?> constructor(Class<?> type) {
        Class<?>[] types = Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new);
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor;
        } catch (NoSuchMethodException e) {
            throw new IllegalArgumentException(e);
        } catch (InaccessibleObjectException e) {
            throw new IllegalArgumentException(
                    "the record " + type.getName() + " is not accessible: open its package to dev.acp4j.mcp", e);
        }
    }

    /**
     * Reads a record from JSON that its schema allows.
     *
     * @throws RuntimeException what the record's constructor throws
     */
    static <R> R read(Class<R> type, RawJson json) {
        Members members = Members.of(json);
        List<@Nullable Object> values = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            RawJson value = members.raw(component.getName());
            values.add(value == null ? null : value(component.getGenericType(), value));
        }
        try {
            return type.cast(constructor(type).newInstance(values.toArray()));
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalArgumentException(e.getCause());
        } catch (InstantiationException | IllegalAccessException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // The class is that of an enum.
    private static Object value(Type type, RawJson json) {
        Class<?> raw = raw(type);
        if (raw.isRecord()) {
            return read(raw, json);
        }
        if (raw.equals(List.class)) {
            List<Object> elements = new ArrayList<>();
            JsonReader in = json.reader();
            in.beginArray();
            while (in.nextElement()) {
                elements.add(value(element(type), in.raw()));
            }
            return List.copyOf(elements);
        }
        if (raw.isEnum()) {
            return Enum.valueOf((Class) raw, json.reader().string());
        }
        return switch (raw.getName()) {
            case "java.lang.String" -> json.reader().string();
            case "boolean", "java.lang.Boolean" -> json.reader().bool();
            case "int", "java.lang.Integer" -> Math.toIntExact(whole(json));
            case "long", "java.lang.Long" -> whole(json);
            case "double", "java.lang.Double" -> json.reader().number();
            default -> json.copy();
        };
    }

    /** Returns an integer, which may be written as 1.0. */
    private static long whole(RawJson json) {
        return ((dev.acp4j.json.JsonNumber) json.value()).bigDecimalValue().longValueExact();
    }

    static RawJson json(Record value) {
        JsonWriter out = new JsonWriter();
        write(value, out);
        return out.toRawJson();
    }

    private static void write(Object value, JsonWriter out) {
        switch (value) {
            case Record one -> writeRecord(one, out);
            case List<?> list -> {
                out.beginArray();
                list.forEach(element -> write(element, out));
                out.endArray();
            }
            case RawJson json -> out.raw(json);
            case Boolean bool -> out.bool(bool);
            case Integer number -> out.int64(number);
            case Long number -> out.int64(number);
            case Double number -> out.number(number);
            default -> out.string(value instanceof Enum<?> constant ? constant.name() : value.toString());
        }
    }

    private static void writeRecord(Record value, JsonWriter out) {
        out.beginObject();
        for (RecordComponent component : value.getClass().getRecordComponents()) {
            Object member = member(value, component.getAccessor());
            if (member != null) {
                out.name(component.getName());
                write(member, out);
            }
        }
        out.endObject();
    }

    private static @Nullable Object member(Record value, Method accessor) {
        try {
            accessor.setAccessible(true);
            return accessor.invoke(value);
        } catch (IllegalAccessException | InvocationTargetException | InaccessibleObjectException e) {
            throw new IllegalArgumentException(
                    "the record " + value.getClass().getName()
                            + " is not accessible: open its package to dev.acp4j.mcp",
                    e);
        }
    }
}
