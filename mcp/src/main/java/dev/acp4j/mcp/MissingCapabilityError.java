package dev.acp4j.mcp;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.Unstable;
import java.util.Set;
import java.util.TreeSet;

/**
 * The other side lacks a capability that a request needs (-32021): the client of a server that an agent reads a
 * resource or a prompt from, or the agent of a tool of one's own that asks the user. What a tool call lacks is a result
 * for the model instead.
 *
 * <pre>{@code
 * try {
 *     return server.read(uri);
 * } catch (MissingCapabilityError e) {
 *     turn.message("It needs a client with " + String.join(", ", e.required()));
 * }
 * }</pre>
 */
@Unstable
public final class MissingCapabilityError extends RpcError {
    private static final long serialVersionUID = 1;

    MissingCapabilityError(RpcError same) {
        super(same);
    }

    /** Returns what is needed, as MCP names it: {@code sampling}, {@code elicitation.url}. Empty if it was not said. */
    public Set<String> required() {
        Set<String> names = new TreeSet<>();
        Members required = Members.of(data().orElse(RawJson.NULL)).object("requiredCapabilities");
        required.all().forEach((name, value) -> {
            Set<String> kinds = Members.of(value).all().keySet();
            kinds.forEach(kind -> names.add(name + "." + kind));
            if (kinds.isEmpty()) {
                names.add(name);
            }
        });
        return names;
    }
}
