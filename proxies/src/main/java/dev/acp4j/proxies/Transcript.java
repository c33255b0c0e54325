package dev.acp4j.proxies;

import dev.acp4j.json.RawJson;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A conversation as text, for an agent that has no memory of it. */
final class Transcript {
    private final StringBuilder text = new StringBuilder();
    private String speaker = "";

    private Transcript() {}

    /**
     * Returns what was said in a session.
     *
     * @param most how many characters; if there are more, the beginning is left out
     */
    static String of(SessionRecording recording, int most) throws IOException, InterruptedException {
        Transcript transcript = new Transcript();
        recording.replay(transcript::add);
        StringBuilder all = transcript.text;
        if (all.length() <= most) {
            return all.toString();
        }
        int from = all.length() - most;
        from += Character.isLowSurrogate(all.charAt(from)) ? 1 : 0;
        return "[The beginning is left out.]\n" + all.substring(from);
    }

    private void add(RawJson params) {
        RawJson update = Members.get(params, "update");
        String kind = update == null ? null : Members.text(update, "sessionUpdate");
        if (update == null || kind == null) {
            return;
        }
        switch (kind) {
            case "user_message_chunk" -> say("User", content(update));
            case "agent_message_chunk" -> say("Agent", content(update));
            case "tool_call" -> say("", "[Tool: " + Members.text(update, "title") + "]");
            default -> {}
        }
    }

    private static @Nullable String content(RawJson update) {
        RawJson content = Members.get(update, "content");
        if (content == null) {
            return null;
        }
        String said = Members.text(content, "text");
        return said == null ? "[" + Members.text(content, "type") + "]" : said;
    }

    private void say(String who, @Nullable String said) {
        if (said == null) {
            return;
        }
        if (!who.equals(speaker) || who.isEmpty()) {
            text.append(text.isEmpty() ? "" : "\n\n").append(who.isEmpty() ? "" : who + ": ");
            speaker = who;
        }
        text.append(said);
    }
}
