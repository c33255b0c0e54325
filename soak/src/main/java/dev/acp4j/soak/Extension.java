package dev.acp4j.soak;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;

/** The methods of our own, and their params. */
final class Extension {
    static final String ECHO = "_soak/echo";
    static final String ECHO_BACK = "_soak/echo_back";
    static final String WAIT = "_soak/wait";
    static final String TICK = "_soak/tick";

    /** What is said to the connection and not in a session. */
    static final String NO_SESSION = "connection";

    private Extension() {}

    static RawJson params(String session, String text) {
        String lane = session.equals(NO_SESSION) ? "" : "\"sessionId\":" + RawJson.string(session) + ",";
        return RawJson.parse("{" + lane + "\"text\":" + RawJson.string(text) + "}");
    }

    /** Returns the params without what transports have added to them. */
    static String said(RawJson params) {
        JsonObject object = (JsonObject) params.value();
        return params(
                        object.text("sessionId").orElse(NO_SESSION),
                        object.text("text").orElse(""))
                .toString();
    }

    static void see(Ledger ledger, RawJson params) {
        JsonObject object = (JsonObject) params.value();
        String session = object.text("sessionId").orElse("");
        ledger.see(session.isEmpty() ? NO_SESSION : session, object.text("text").orElse(""));
    }
}
