package dev.acp4j;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonBoolean;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AuthAccount;
import dev.acp4j.schema.AuthState;
import dev.acp4j.schema.Codecs;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionConfigSelectOption;
import dev.acp4j.schema.SessionConfigSelectOptions;
import dev.acp4j.schema.SessionConfigValueId;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.TerminalExitStatus;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallUpdate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What agents of version 1 speak beside its schema, as a client reads and writes it: {@code models} with
 * {@code session/set_model}, which the protocol had before config options, steering of a running turn, reports of
 * tokens, logins and failures, and terminals in which an agent runs commands by itself. See {@code docs/peers.md}.
 */
final class VendorDialect {
    /** The option that is made of an agent's models. */
    static final SessionConfigId MODEL = SessionConfigId.of("model");

    static final Method<RawJson, RawJson> SET_MODEL =
            Method.request("session/set_model", Method.Side.AGENT, RawJson.CODEC, RawJson.CODEC);
    static final Method<RawJson, RawJson> STEERING = Method.rawRequest("_session/steering", Method.Side.AGENT);

    static final String AUTH_STATUS = "_auth/status_update";

    /** Exit codes are unsigned here; on Windows some agents write them as negative numbers. */
    private static final long MOST_EXIT_CODE = 0xFFFFFFFFL;

    private static final String TERMINAL_ID = "terminal_id";
    private static final String TERMINAL_INFO = "terminal_info";
    private static final String TERMINAL_EXIT = "terminal_exit";
    private static final String SHOWS_TERMINALS = "terminal_output";
    private static final String SHOWS_DELTAS = "terminal_output_delta";

    private VendorDialect() {}

    /** Returns a member that is an object; null if it is anything else, or there is none. */
    private static @Nullable JsonObject object(@Nullable RawJson member) {
        return member != null && member.value() instanceof JsonObject object ? object : null;
    }

    // ---- models

    /** Returns the models that an answer offers as a config option; null when there are none. */
    static SessionConfigOption.@Nullable Select models(Rest answer) {
        JsonObject models = object(answer.get("models").orElse(null));
        if (models == null) {
            return null;
        }
        List<SessionConfigSelectOption> values = new ArrayList<>();
        if (models.get("availableModels").orElse(null) instanceof JsonArray available) {
            for (JsonValue each : available.elements()) {
                if (each instanceof JsonObject model && model.text("modelId").isPresent()) {
                    String id = model.text("modelId").get();
                    values.add(new SessionConfigSelectOption(
                            SessionConfigValueId.of(id),
                            model.text("name").orElse(id),
                            model.text("description").orElse(null),
                            Rest.NONE));
                }
            }
        }
        Optional<String> current = models.text("currentModelId");
        if (values.isEmpty() || current.isEmpty()) {
            return null;
        }
        return SessionConfigOption.Select.builder(
                        MODEL, "Model", SessionConfigValueId.of(current.get()), SessionConfigSelectOptions.of(values))
                .category(SessionConfigOptionCategory.MODEL)
                .build();
    }

    static RawJson setModel(SessionId session, SessionConfigValueId model, Meta meta) {
        JsonWriter out = begin(session, meta);
        out.name("modelId");
        out.string(model.value());
        out.endObject();
        return out.toRawJson();
    }

    private static JsonWriter begin(SessionId session, Meta meta) {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name("sessionId");
        out.string(session.value());
        if (!meta.isEmpty()) {
            out.name("_meta");
            out.raw(meta.raw());
        }
        return out;
    }

    // ---- what agents report

    private static @Nullable Long number(JsonObject object, String name) {
        try {
            return object.get(name).orElse(null) instanceof JsonNumber number ? number.longValue() : null;
        } catch (ArithmeticException e) {
            return null;
        }
    }

    /**
     * Returns whether an agent reports by itself how the user is logged in, by the {@code _meta} of its capabilities.
     */
    static boolean offersAuthStatus(Meta capabilities) {
        return capabilities.get("authStatus").isPresent();
    }

    /** @throws RpcError when it is no such report */
    static AuthStatus authStatus(@Nullable RawJson params) {
        if (params == null || !(params.value() instanceof JsonObject status)) {
            throw RpcError.invalidParams("params: expected an object");
        }
        Optional<JsonObject> account =
                status.get("account").filter(JsonObject.class::isInstance).map(JsonObject.class::cast);
        String kind = status.text("kind")
                .orElseThrow(() -> RpcError.invalidParams("params.kind: expected how the user is logged in"));
        Rest.Builder rest = Rest.builder().add("kind", RawJson.string(kind));
        status.text("detail").ifPresent(detail -> rest.add("detail", RawJson.string(detail)));
        account.flatMap(some -> some.text("plan")).ifPresent(plan -> rest.add("plan", RawJson.string(plan)));
        AuthAccount used = new AuthAccount(
                status.text("label").orElse(kind),
                true,
                null,
                account.flatMap(some -> some.text("email")).orElse(null),
                null,
                rest.build());
        return kind.equals("none")
                ? new AuthStatus(AuthState.UNAUTHENTICATED, List.of())
                : new AuthStatus(AuthState.AUTHENTICATED, List.of(used));
    }

    /** Returns the {@code _meta} of a client's capabilities with which it announces that it takes failures. */
    static Meta takingFailures(Meta capabilities) {
        if (capabilities.get("jetbrains").isPresent()) {
            // The program announces more than this by itself.
            return capabilities;
        }
        return capabilities.with(
                "jetbrains", RawJson.parse("{\"air\":{\"version\":1,\"capabilities\":[\"sessionFailure\"]}}"));
    }

    /** Returns the failure in the {@code _meta} of a turn's end or of a session's info; null when there is none. */
    static @Nullable SessionFailure failure(Meta meta) {
        JsonObject vendor = object(meta.get("jetbrains").orElse(null));
        if (vendor == null
                || !(vendor.get("air").orElse(null) instanceof JsonObject air)
                || !(air.get("sessionFailure").orElse(null) instanceof JsonObject failure)) {
            return null;
        }
        List<String> actions = new ArrayList<>();
        if (failure.get("actions").orElse(null) instanceof JsonArray all) {
            for (JsonValue action : all.elements()) {
                if (action instanceof JsonString name) {
                    actions.add(name.value());
                }
            }
        }
        return new SessionFailure(
                failure.text("id").orElse(""),
                failure.text("category").orElse(""),
                failure.text("severity").orElse("error"),
                failure.text("title").orElse(""),
                actions);
    }

    // ---- terminals of the agent

    /**
     * What an agent says of a terminal of its own, all in the {@code _meta} of a tool call.
     *
     * @param output what was printed since the last time; all agents append, whatever the member is called
     */
    record TerminalChange(
            TerminalId id,
            @Nullable String cwd,
            String output,
            @Nullable TerminalExitStatus exitStatus) {}

    /** Returns the {@code _meta} of a client's capabilities with which it announces that it shows such terminals. */
    static Meta showingTerminals(Meta capabilities) {
        return capabilities.with(SHOWS_TERMINALS, RawJson.of(JsonBoolean.of(true)));
    }

    /** Returns whether a client shows such terminals, by the {@code _meta} of its capabilities. */
    static boolean showsTerminals(Meta capabilities) {
        return isTrue(capabilities, SHOWS_TERMINALS) || isTrue(capabilities, SHOWS_DELTAS);
    }

    private static boolean isTrue(Meta meta, String name) {
        // Read at the start of a connection, where a lambda takes time.
        RawJson member = meta.get(name).orElse(null);
        return member != null && member.value() instanceof JsonBoolean some && some.value();
    }

    /** Returns what a tool call, or a change of one, says of a terminal in its {@code _meta}; null when nothing. */
    static @Nullable TerminalChange terminal(SessionUpdate update) {
        if (update instanceof ToolCallUpdate change) {
            return terminal(change.meta());
        }
        return update instanceof ToolCall call ? terminal(call.meta()) : null;
    }

    private static @Nullable TerminalChange terminal(Meta meta) {
        if (meta.isEmpty()) {
            return null;
        }
        JsonObject info = terminal(meta, TERMINAL_INFO);
        JsonObject exit = terminal(meta, TERMINAL_EXIT);
        JsonObject whole = terminal(meta, SHOWS_TERMINALS);
        JsonObject output = whole == null ? terminal(meta, SHOWS_DELTAS) : whole;
        JsonObject any = info != null ? info : output != null ? output : exit;
        return any == null
                ? null
                : new TerminalChange(
                        TerminalId.of(any.text(TERMINAL_ID).orElseThrow()),
                        info == null ? null : info.text("cwd").orElse(null),
                        output == null ? "" : output.text("data").orElse(""),
                        exit == null ? null : exitStatus(exit));
    }

    private static @Nullable JsonObject terminal(Meta meta, String name) {
        JsonObject part = object(meta.get(name).orElse(null));
        return part != null && part.text(TERMINAL_ID).isPresent() ? part : null;
    }

    private static TerminalExitStatus exitStatus(JsonObject exit) {
        Long code = number(exit, "exit_code");
        if (code != null && (code < Integer.MIN_VALUE || code > MOST_EXIT_CODE)) {
            code = null;
        }
        return TerminalExitStatus.builder()
                .exitCode(code == null ? null : code & MOST_EXIT_CODE)
                .signal(exit.text("signal").orElse(null))
                .build();
    }

    /** Returns {@code _meta} without what it says of a terminal. */
    static Meta withoutTerminal(Meta meta) {
        return meta.without(TERMINAL_INFO)
                .without(SHOWS_TERMINALS)
                .without(SHOWS_DELTAS)
                .without(TERMINAL_EXIT);
    }

    /** Adds to the {@code _meta} of a tool call that it begins to show a terminal. */
    static Meta terminalInfo(Meta meta, TerminalId id, @Nullable String cwd) {
        return terminalMeta(meta, TERMINAL_INFO, id, out -> {
            if (cwd != null) {
                out.name("cwd");
                out.string(cwd);
            }
        });
    }

    /** Returns whether a client wants the output of terminals under another name, by its capabilities. */
    static boolean wantsDeltas(Meta capabilities) {
        return isTrue(capabilities, SHOWS_DELTAS);
    }

    /** Returns a change of a tool call whose output of a terminal has its other name. */
    static ToolCallUpdate withDeltas(ToolCallUpdate change) {
        RawJson output = change.meta().get(SHOWS_TERMINALS).orElse(null);
        return output == null
                ? change
                : change.toBuilder()
                        .meta(change.meta().without(SHOWS_TERMINALS).with(SHOWS_DELTAS, output))
                        .build();
    }

    /** Returns the {@code _meta} with more output of a terminal. */
    static Meta terminalOutput(TerminalId id, String output) {
        return terminalMeta(Meta.EMPTY, SHOWS_TERMINALS, id, out -> {
            out.name("data");
            out.string(output);
        });
    }

    /** Returns the {@code _meta} with which the command of a terminal has ended. */
    static Meta terminalExit(TerminalId id, TerminalExitStatus status) {
        return terminalMeta(Meta.EMPTY, TERMINAL_EXIT, id, out -> {
            out.name("exit_code");
            if (status.exitCode() == null) {
                out.nullValue();
            } else {
                out.int64(status.exitCode());
            }
            out.name("signal");
            if (status.signal() == null) {
                out.nullValue();
            } else {
                out.string(status.signal());
            }
        });
    }

    private static Meta terminalMeta(Meta meta, String name, TerminalId id, Consumer<JsonWriter> members) {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name(TERMINAL_ID);
        out.string(id.value());
        members.accept(out);
        out.endObject();
        return meta.with(name, out.toRawJson());
    }

    // ---- steering

    /** Returns whether what an agent says of itself is that its turns can be steered. */
    static boolean offersSteering(Meta answer) {
        JsonObject steering = object(answer.get("steering").orElse(null));
        return steering != null
                && steering.get("supported").orElse(null) instanceof JsonBoolean supported
                && supported.value();
    }

    static RawJson steer(SessionId session, List<ContentBlock> content, Meta meta) {
        JsonWriter out = begin(session, meta);
        out.name("prompt");
        out.beginArray();
        for (ContentBlock block : content) {
            Codecs.contentBlock().encode(block, out);
        }
        out.endArray();
        out.endObject();
        return out.toRawJson();
    }

    static Session.Steered steered(RawJson answer) {
        String outcome = answer.value() instanceof JsonObject whole
                ? whole.text("outcome").orElse("")
                : "";
        return switch (outcome) {
            case "injected" -> Session.Steered.INJECTED;
            case "startedNewTurn" -> Session.Steered.NEW_TURN;
            default -> Session.Steered.NOT_TAKEN;
        };
    }
}
