package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.BooleanCodec;
import org.jspecify.annotations.Nullable;

/** Uses {@link SetSessionConfigOptionMembers}, because the type may follow the value. */
class SetSessionConfigOptionRequestCodec implements Codec<SetSessionConfigOptionRequest> {
    static final SetSessionConfigOptionRequestCodec INSTANCE = new SetSessionConfigOptionRequestCodec();

    private static final String BOOLEAN = "boolean";

    private final @Nullable String idType;

    private SetSessionConfigOptionRequestCodec() {
        this(null);
    }

    /** @param idType the type of a value from the choices; null if it has no type */
    SetSessionConfigOptionRequestCodec(@Nullable String idType) {
        this.idType = idType;
    }

    @Override
    public SetSessionConfigOptionRequest decode(JsonReader in) {
        SetSessionConfigOptionMembers members = SetSessionConfigOptionMembersCodec.INSTANCE.decode(in);
        SessionConfigOptionValue value = value(members, in);
        return new SetSessionConfigOptionRequest(members.sessionId(), members.configId(), value, members.rest());
    }

    /** A string is one of the choices, whatever its type, unless that is boolean. */
    private SessionConfigOptionValue value(SetSessionConfigOptionMembers members, JsonReader in) {
        RawJson value = members.value();
        String type = members.type();
        JsonReader.Kind kind = value.reader().kind();
        if (BOOLEAN.equals(type)) {
            if (kind != JsonReader.Kind.BOOLEAN) {
                throw in.invalid("expected a boolean, got " + value, value.from());
            }
            return new SessionConfigOptionValue.Toggle(value.reader().bool());
        }
        if (idType != null && type == null) {
            throw in.invalid("required member \"type\" is missing", value.from());
        }
        if (kind == JsonReader.Kind.STRING && (idType == null || idType.equals(type))) {
            return new SessionConfigOptionValue.Id(value.decode(StringValueCodec.SESSION_CONFIG_VALUE_ID));
        }
        if (type == null || type.equals(idType)) {
            throw in.invalid("expected a string, got " + value, value.from());
        }
        return new SessionConfigOptionValue.Unknown(type, value);
    }

    @Override
    public void encode(SetSessionConfigOptionRequest request, JsonWriter out) {
        SetSessionConfigOptionMembersCodec.INSTANCE.encode(members(request), out);
    }

    private SetSessionConfigOptionMembers members(SetSessionConfigOptionRequest request) {
        String type = null;
        RawJson value = RawJson.NULL;
        if (request.value() instanceof SessionConfigOptionValue.Id id) {
            type = idType;
            value = RawJson.string(id.value().value());
        } else if (request.value() instanceof SessionConfigOptionValue.Toggle toggle) {
            type = BOOLEAN;
            value = RawJson.encode(toggle.value(), BooleanCodec.INSTANCE);
        } else if (request.value() instanceof SessionConfigOptionValue.Unknown unknown) {
            type = unknown.type();
            value = unknown.value();
        }
        return new SetSessionConfigOptionMembers(request.sessionId(), request.configId(), type, value, request.rest());
    }
}
