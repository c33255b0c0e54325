package dev.acp4j.http;

import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.Method;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The methods of agents whose params name a session, drafts among them: those of the catalogue. */
public final class MethodsOfASession {
    private MethodsOfASession() {}

    /** Returns them, each name once. */
    public static List<Method<?, ?>> all() {
        Map<String, Method<?, ?>> all = new LinkedHashMap<>();
        for (Field constant : AgentMethods.class.getFields()) {
            Class<?> params = (Class<?>) ((ParameterizedType) constant.getGenericType()).getActualTypeArguments()[0];
            if (Arrays.stream(params.getRecordComponents())
                    .anyMatch(member -> member.getName().equals("sessionId"))) {
                Method<?, ?> method = value(constant);
                all.put(method.name(), method);
            }
        }
        return List.copyOf(all.values());
    }

    private static Method<?, ?> value(Field constant) {
        try {
            return (Method<?, ?>) constant.get(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
