package dev.acp4j;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.Version;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** From raw params to a handler, and from what it returns to a raw result. */
final class Requests {
    /** Lets a handler answer. */
    @FunctionalInterface
    interface Answer<H, P, R> {
        R answer(H handler, P params) throws Exception;
    }

    private Requests() {}

    /** Decodes now and answers later; a method for which no handler was given does not exist. */
    static <H, P, R> Handler.Task task(
            Method<P, R> method,
            Version version,
            IncomingRequest request,
            @Nullable H handler,
            Answer<H, P, R> answer) {
        if (handler == null) {
            throw RpcError.methodNotFound(method.name());
        }
        P params = decode(method, version, request.takeParams());
        return () -> encode(method, version, answer.answer(handler, params));
    }

    /** Decodes params; absent ones stand for an object without members. */
    static <P> P decode(Method<P, ?> method, Version version, @Nullable RawJson params) {
        try {
            return (params == null ? RawJson.EMPTY_OBJECT : params).decode(method.params(version), "params");
        } catch (JsonException e) {
            // Without the value that was found: it may be a secret.
            throw RpcError.invalidParams(e.messageWithoutValue());
        }
    }

    /**
     * Reports the first member that should be an object but is not. Reading is lenient: such members count as absent,
     * and nobody would learn why the peer offers nothing. Not on this thread, which reads.
     */
    static void reportUnlessObjects(
            @Nullable RawJson object, String where, List<String> members, Consumer<Problem> onProblem) {
        if (object == null) {
            return;
        }
        Problem first = null;
        JsonReader in = object.reader(where);
        in.beginObject();
        while (in.nextMember()) {
            JsonReader.Kind kind = in.kind();
            boolean isOne = kind == JsonReader.Kind.OBJECT || kind == JsonReader.Kind.NULL;
            if (first == null && !isOne && members.contains(in.name())) {
                first = new Problem(
                        Problem.Kind.MALFORMED,
                        "initialize: " + in.mismatch("an object").messageWithoutValue() + "; it counts as absent",
                        null);
            }
            in.skip();
        }
        if (first != null) {
            Problem problem = first;
            Thread.ofPlatform().daemon().name("acp4j-problem").start(() -> onProblem.accept(problem));
        }
    }

    static <R> RawJson encode(Method<?, R> method, Version version, R result) {
        return RawJson.encode(result, method.result(version));
    }
}
