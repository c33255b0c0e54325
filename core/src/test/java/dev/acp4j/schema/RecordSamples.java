package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.Required;
import dev.acp4j.schema.codec.Together;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes values of the protocol's records, going by the types of their components. */
final class RecordSamples {
    /** Components that must not be there together with others. */
    private static final Map<Class<?>, String> EXCLUDED = Map.of(
            CreateElicitationRequest.Form.class, "requestId",
            CreateElicitationRequest.Url.class, "requestId");

    private RecordSamples() {}

    /** Returns a record with every component that it may have in its first version, none of them a default. */
    static Object full(Class<?> type) {
        return full(type, ProtocolTypes.first(type));
    }

    /** Returns a record with every component that it may have in a version, none of them a default. */
    static Object full(Class<?> type, Version version) {
        return ProtocolTypes.isString(type)
                ? string(type)
                : create(type, component -> isOf(component, version) ? of(component, version) : lacking(component));
    }

    /** Returns whether a version has a component. */
    static boolean isOf(RecordComponent component, Version version) {
        boolean together = component.getDeclaringRecord().isAnnotationPresent(Together.class);
        return together
                || !component.isAnnotationPresent(In.class)
                || component.getAnnotation(In.class).value() == version.number();
    }

    private static Object of(RecordComponent component, Version version) {
        if (component.getDeclaringRecord() == AuthMethod.Terminal.class
                && component.getName().equals("env")) {
            // In version 1 a variable has a name and a value only.
            return List.of(EnvVariable.of("NAME", "value"));
        }
        boolean together = component.getDeclaringRecord().isAnnotationPresent(Together.class);
        boolean second = together
                && component.isAnnotationPresent(In.class)
                && component.getAnnotation(In.class).value() == 2;
        return of(component.getGenericType(), second ? Version.V2 : version);
    }

    /** Returns what a component is in a version that lacks it. */
    private static @Nullable Object lacking(RecordComponent component) {
        Object absent = absent(component);
        if (absent != null || isNullable(component)) {
            return absent;
        }
        if (component.getType() == boolean.class) {
            return false;
        }
        // It is the first constant, or there is only one.
        return ProtocolTypes.constants(component.getType()).getFirst();
    }

    /** Returns a record with no component that may be absent. */
    static Object minimal(Class<?> type) {
        return ProtocolTypes.isString(type)
                ? string(type)
                : create(
                        type,
                        component -> !isOf(component, ProtocolTypes.first(type))
                                ? lacking(component)
                                : isOptional(type, component)
                                        ? absent(component)
                                        : of(component, ProtocolTypes.first(type)));
    }

    private static Object string(Class<?> type) {
        try {
            return type.getDeclaredMethod("of", String.class).invoke(null, "text");
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(type.getName(), e);
        }
    }

    /** Returns whether a record must have some component that is not a default. */
    static boolean requiresSomething(Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .anyMatch(component -> !isOptional(type, component) && component.getType() != boolean.class);
    }

    /** Returns whether the component of a full value is there. */
    static boolean isThere(Class<?> type, RecordComponent component) {
        return !component.getName().equals(EXCLUDED.get(type)) && isOf(component, ProtocolTypes.first(type));
    }

    static boolean isNullable(RecordComponent component) {
        AnnotatedElement annotated = component.getAnnotatedType();
        return annotated.isAnnotationPresent(Nullable.class);
    }

    private static boolean isOptional(Class<?> type, RecordComponent component) {
        if (EXCLUDED.containsKey(type) && component.getName().equals("sessionId")) {
            // One of the scopes must be there.
            return false;
        }
        boolean required = component.isAnnotationPresent(Required.class)
                && component.getAnnotation(Required.class).value()
                        == ProtocolTypes.first(type).number();
        return !required && (isNullable(component) || absent(component) != null);
    }

    /** Returns the value that stands for absence; null where that is it, or where there is none. */
    static @Nullable Object absent(RecordComponent component) {
        Class<?> type = component.getType();
        if (type == List.class) {
            return List.of();
        }
        if (type == Map.class) {
            return Map.of();
        }
        if (type == Rest.class) {
            return Rest.NONE;
        }
        return type == Change.class ? Change.keep() : null;
    }

    private interface Values {
        @Nullable
        Object of(RecordComponent component);
    }

    private static Record create(Class<?> type, Values values) {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        @Nullable Object[] arguments = new @Nullable Object[components.length];
        for (int i = 0; i < components.length; i++) {
            arguments[i] = components[i].getName().equals(EXCLUDED.get(type)) ? null : values.of(components[i]);
        }
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(types);
            return (Record) constructor.newInstance(arguments);
        } catch (InvocationTargetException e) {
            throw new AssertionError(type + Arrays.toString(arguments), e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(type.getName(), e);
        }
    }

    private static Object of(Type type, Version version) {
        if (type instanceof ParameterizedType generic) {
            Object value = of(generic.getActualTypeArguments()[generic.getActualTypeArguments().length - 1], version);
            if (generic.getRawType() == List.class) {
                return List.of(value);
            }
            return generic.getRawType() == Map.class ? Map.of("key", value) : Change.replace(value);
        }
        return of((Class<?>) type, version);
    }

    private static Object of(Class<?> type, Version version) {
        if (type == String.class) {
            return "text";
        }
        if (type == boolean.class || type == Boolean.class) {
            return true;
        }
        if (type == int.class || type == Integer.class) {
            return 7;
        }
        if (type == long.class || type == Long.class) {
            return 7L;
        }
        if (type == double.class || type == Double.class) {
            return 0.5;
        }
        return composed(type, version);
    }

    private static Object composed(Class<?> type, Version version) {
        if (type == RawJson.class) {
            return RawJson.parse("{\"a\":[1.5,null]}");
        }
        if (type == Rest.class) {
            return Rest.of(Meta.of("key", RawJson.parse("[1.5]")));
        }
        if (type == RequestId.class) {
            return RequestId.of("id");
        }
        if (type == SessionConfigOptionValue.class) {
            return new SessionConfigOptionValue.Toggle(true);
        }
        if (type.isRecord() || ProtocolTypes.isString(type)) {
            return full(type, version);
        }
        return full(ProtocolTypes.variants(type, version).getFirst(), version);
    }
}
