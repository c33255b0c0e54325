package dev.acp4j.cli.command;

import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonBoolean;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.schema.AuthMethod;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A way to log in that an agent offers.
 *
 * @param id its id, as the agent wrote it
 * @param name its name, as the agent wrote it
 * @param description a description, or null
 * @param type how it works
 * @param method what the agent sent
 */
public record LoginMethod(String id, String name, @Nullable String description, Type type, AuthMethod method) {
    /** How a method works. */
    public enum Type {
        /** The agent does it by itself when it is asked to. */
        AGENT("agent"),
        /** The agent's program is run in a terminal. */
        TERMINAL("terminal"),
        /** The agent is started with variables that the user gives. */
        ENVIRONMENT("env_var"),
        /** In a way that acp does not know. */
        UNKNOWN("");

        final String word;

        Type(String word) {
            this.word = word;
        }
    }

    /**
     * A variable of the environment that a method needs.
     *
     * @param name the name of the variable
     * @param label what to call it, as the agent wrote it
     * @param isSecret whether it must not be shown
     * @param isOptional whether it may be missing
     */
    public record Variable(String name, String label, boolean isSecret, boolean isOptional) {}

    /** Returns the methods that an agent offers, in its order. */
    public static List<LoginMethod> of(List<AuthMethod> methods) {
        List<LoginMethod> all = new ArrayList<>();
        for (AuthMethod method : methods) {
            all.add(of(method));
        }
        return all;
    }

    private static LoginMethod of(AuthMethod method) {
        return switch (method) {
            case AuthMethod.Agent agent -> of(method, agent.description(), Type.AGENT);
            case AuthMethod.Terminal terminal -> of(method, terminal.description(), Type.TERMINAL);
            case AuthMethod.Unknown unknown -> {
                String description = members(unknown).text("description").orElse("");
                boolean isKnown = unknown.type().equals(Type.ENVIRONMENT.word);
                yield of(method, description.isEmpty() ? null : description, isKnown ? Type.ENVIRONMENT : Type.UNKNOWN);
            }
        };
    }

    private static LoginMethod of(AuthMethod method, @Nullable String description, Type type) {
        return new LoginMethod(method.id().value(), method.name(), description, type, method);
    }

    /** Returns the method with this id. */
    public static LoginMethod find(List<LoginMethod> methods, String id) {
        List<String> ids = new ArrayList<>();
        for (LoginMethod method : methods) {
            if (method.id.equals(id)) {
                return method;
            }
            ids.add(method.safeId());
        }
        throw new UsageException("the agent does not offer the login method " + SafeText.line(id)
                + (ids.isEmpty() ? "; it offers none" : "; it offers: " + String.join(", ", ids)));
    }

    /** Returns the id for display. */
    public String safeId() {
        return SafeText.line(id);
    }

    /** Returns the name for display, with what is special about the method. */
    public String safeName() {
        return SafeText.line(name)
                + switch (type) {
                    case AGENT -> "";
                    case TERMINAL -> " (in a terminal)";
                    case ENVIRONMENT -> " (with variables of the environment)";
                    case UNKNOWN -> " (in a way unknown to acp)";
                };
    }

    /** Returns the type as the protocol names it. */
    public String typeName() {
        return method instanceof AuthMethod.Unknown unknown ? unknown.type() : type.word;
    }

    /** Returns the page that describes the method or gives out keys; null if there is none. */
    public @Nullable String link() {
        String link = method instanceof AuthMethod.Unknown unknown
                ? members(unknown).text("link").orElse("")
                : "";
        return link.isEmpty() ? null : link;
    }

    /** Returns the variables that the method needs. Those without a name are left out. */
    public List<Variable> variables() {
        List<Variable> variables = new ArrayList<>();
        if (method instanceof AuthMethod.Unknown unknown
                && members(unknown).get("vars").orElse(null) instanceof JsonArray array) {
            for (JsonValue item : array.elements()) {
                if (item instanceof JsonObject variable) {
                    String name = variable.text("name").orElse("");
                    if (!name.isEmpty() && name.indexOf('=') < 0 && name.indexOf('\0') < 0) {
                        variables.add(new Variable(
                                name,
                                variable.text("label").orElse(name),
                                flag(variable, "secret", true),
                                flag(variable, "optional", false)));
                    }
                }
            }
        }
        return variables;
    }

    private static JsonObject members(AuthMethod.Unknown unknown) {
        return (JsonObject) unknown.raw().value();
    }

    private static boolean flag(JsonObject object, String name, boolean other) {
        return object.get(name).orElse(null) instanceof JsonBoolean flag ? flag.value() : other;
    }
}
