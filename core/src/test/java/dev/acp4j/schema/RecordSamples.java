package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RequestId;
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

    /** Returns a record with every component that it may have, none of them a default. */
    static Object full(Class<?> type) {
        return ProtocolTypes.isString(type) ? string(type) : create(type, component -> of(component.getGenericType()));
    }

    /** Returns a record with no component that may be absent. */
    static Object minimal(Class<?> type) {
        return ProtocolTypes.isString(type)
                ? string(type)
                : create(
                        type,
                        component -> isOptional(type, component) ? absent(component) : of(component.getGenericType()));
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
        return !component.getName().equals(EXCLUDED.get(type));
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
        return isNullable(component) || absent(component) != null;
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
            arguments[i] = isThere(type, components[i]) ? values.of(components[i]) : null;
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

    private static Object of(Type type) {
        if (type instanceof ParameterizedType generic) {
            Object value = of(generic.getActualTypeArguments()[generic.getActualTypeArguments().length - 1]);
            if (generic.getRawType() == List.class) {
                return List.of(value);
            }
            return generic.getRawType() == Map.class ? Map.of("key", value) : Change.replace(value);
        }
        return of((Class<?>) type);
    }

    private static Object of(Class<?> type) {
        if (type == String.class) {
            return "text";
        }
        if (type == boolean.class || type == Boolean.class) {
            return true;
        }
        if (type == int.class) {
            return 7;
        }
        if (type == long.class || type == Long.class) {
            return 7L;
        }
        if (type == double.class || type == Double.class) {
            return 0.5;
        }
        return composed(type);
    }

    private static Object composed(Class<?> type) {
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
            return full(type);
        }
        return full(ProtocolTypes.variants(type).getFirst());
    }
}
