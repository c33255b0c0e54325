package dev.acp4j.http.gateway;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonNull;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where sessions of a principal may work: in one folder, whatever links say. It is looked at when a session is opened;
 * what the agent does later is its own matter.
 *
 * @param folder the folder, without links in it
 */
record Roots(Path folder) {
    /** @throws RpcError when the params name another folder */
    void check(@Nullable RawJson params) {
        JsonObject object = object(params);
        object.get("cwd").ifPresent(cwd -> check("cwd", cwd));
        object.get("additionalDirectories").ifPresent(more -> {
            if (more instanceof JsonArray array) {
                array.elements().forEach(each -> check("additionalDirectories", each));
            } else if (!(more instanceof JsonNull)) {
                throw RpcError.invalidParams("additionalDirectories: expected an array of paths");
            }
        });
    }

    private static JsonObject object(@Nullable RawJson params) {
        try {
            if (params != null && params.value() instanceof JsonObject object) {
                return object;
            }
        } catch (JsonException e) {
            throw RpcError.invalidParams("the params are not valid JSON");
        }
        throw RpcError.invalidParams("the params must be an object");
    }

    private void check(String member, JsonValue value) {
        if (!(value instanceof JsonString text)) {
            throw RpcError.invalidParams(member + ": expected a path");
        }
        String name = text.value();
        try {
            Path path = Path.of(name);
            if (!path.isAbsolute()) {
                throw RpcError.invalidParams(member + ": expected an absolute path, got " + name);
            }
            if (!path.toRealPath().startsWith(folder)) {
                throw outside(member, name);
            }
        } catch (IOException | InvalidPathException e) {
            // That a folder elsewhere is missing is nobody's business.
            throw outside(member, name);
        }
    }

    private RpcError outside(String member, String name) {
        return RpcError.invalidParams(
                member + ": " + name + " is no folder in " + folder + ", where sessions of this user may work");
    }
}
