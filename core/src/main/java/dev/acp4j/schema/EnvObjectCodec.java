package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;

/** Encodes variables as an object with one member for each. */
final class EnvObjectCodec implements Codec<List<EnvVariable>> {
    static final EnvObjectCodec INSTANCE = new EnvObjectCodec();

    private EnvObjectCodec() {}

    @Override
    public List<EnvVariable> decode(JsonReader in) {
        List<EnvVariable> variables = new ArrayList<>();
        in.beginObject();
        while (in.nextMember()) {
            String name = in.name();
            variables.add(EnvVariable.of(name, in.string()));
        }
        return variables;
    }

    @Override
    public void encode(List<EnvVariable> variables, JsonWriter out) {
        out.beginObject();
        for (EnvVariable variable : variables) {
            if (!variable.rest().isEmpty()) {
                throw new IllegalArgumentException("version 1 of the protocol has a name and a value only for "
                        + variable.name() + ", got " + variable.rest());
            }
            out.name(variable.name());
            out.string(variable.value());
        }
        out.endObject();
    }
}
