package dev.acp4j.http;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What belongs to one hop between a client and an agent, and must not pass another one. */
@SuppressWarnings("ReferenceEquality") // The same object means that nothing was taken out.
final class Hop {
    private static final byte[] MARK = "\"acp".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] TRANSPORT = ("\"" + Wire.TRANSPORT + "\"").getBytes(StandardCharsets.US_ASCII);
    private static final List<String> OURS =
            List.of(Wire.CURSOR, Wire.TURN_STATE, Wire.AFTER, Wire.CONNECTION, Wire.UPDATE);

    private Hop() {}

    /** Returns the message without the members of this hop; the same object if it has none. */
    static Message withoutOurs(Message message) {
        RawJson raw = message.raw();
        if (!contains(raw, MARK) && !contains(raw, TRANSPORT)) {
            return message;
        }
        RawJson params = message.params();
        RawJson result = message.result();
        if (params != null) {
            RawJson without = withoutMeta(params);
            return without == params ? message : message.withParams(without);
        }
        if (result != null) {
            RawJson without = withoutOffer(withoutMeta(result), "agentCapabilities");
            without = withoutOffer(without, "capabilities");
            return without == result ? message : message.withResult(without);
        }
        return message;
    }

    private static RawJson withoutMeta(RawJson object) {
        RawJson meta = Raw.member(object, "_meta");
        RawJson without = meta;
        for (String name : OURS) {
            without = Raw.member(without, name) == null || without == null ? without : Raw.with(without, name, null);
        }
        return without == meta ? object : Raw.with(object, "_meta", isEmpty(without) ? null : without);
    }

    private static boolean isEmpty(@Nullable RawJson object) {
        return object == null || RawJson.EMPTY_OBJECT.equals(object);
    }

    private static RawJson withoutOffer(RawJson result, String capabilities) {
        RawJson offered = Raw.member(result, capabilities);
        RawJson transport = Raw.member(offered, Wire.TRANSPORT);
        if (offered == null || transport == null || Raw.member(transport, Wire.RESUMABLE) == null) {
            return result;
        }
        RawJson rest = Raw.with(transport, Wire.RESUMABLE, null);
        return Raw.with(result, capabilities, Raw.with(offered, Wire.TRANSPORT, isEmpty(rest) ? null : rest));
    }

    private static boolean contains(RawJson raw, byte[] mark) {
        byte[] bytes = raw.bytes();
        int last = raw.to() - mark.length;
        for (int at = raw.from(); at <= last; at++) {
            if (bytes[at] == '"' && matches(bytes, at, mark)) {
                return true;
            }
        }
        return false;
    }

    private static boolean matches(byte[] bytes, int at, byte[] mark) {
        for (int i = 1; i < mark.length; i++) {
            if (bytes[at + i] != mark[i]) {
                return false;
            }
        }
        return true;
    }
}
