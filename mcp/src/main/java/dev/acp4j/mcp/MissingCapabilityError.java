package dev.acp4j.mcp;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.Unstable;
import java.util.Set;
import java.util.TreeSet;

/**
 * An MCP server needs a capability of its client that this one does not have (-32021): the server of an agent that
 * reads a resource or a prompt, or a tool of one's own whose agent cannot ask the user. What a tool call lacks is a
 * result for the model instead.
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
