package dev.acp4j;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonBoolean;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What agents of version 1 speak beside its schema, as a client reads and writes it: {@code models} with
 * {@code session/set_model}, which the protocol had before config options, and steering of a running turn. See
 * {@code docs/peers.md}.
 */
final class VendorDialect {
    /** The option that is made of an agent's models. */
    static final SessionConfigId MODEL = SessionConfigId.of("model");

    static final Method<RawJson, RawJson> SET_MODEL =
            Method.request("session/set_model", Method.Side.AGENT, RawJson.CODEC, RawJson.CODEC);
    static final Method<RawJson, RawJson> STEERING = Method.rawRequest("_session/steering", Method.Side.AGENT);

    private VendorDialect() {}

    // ---- models

    /** Returns the models that an answer offers as a config option; null when there are none. */
    static SessionConfigOption.@Nullable Select models(Rest answer) {
        if (!(answer.get("models").map(RawJson::value).orElse(null) instanceof JsonObject models)) {
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

    // ---- steering

    /** Returns whether what an agent says of itself is that its turns can be steered. */
    static boolean offersSteering(Meta answer) {
        return answer.get("steering").map(RawJson::value).orElse(null) instanceof JsonObject steering
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
