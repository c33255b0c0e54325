package dev.acp4j.cli.sessions;

import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Wrap;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.Codecs;
import dev.acp4j.schema.SessionInfo;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jline.utils.AttributedString;

/** A list of sessions, for people and for programs. */
final class SessionsText {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT);

    private SessionsText() {}

    /** Returns two lines for each session: its id and time, its title and folder. */
    static List<AttributedString> lines(List<SessionInfo> sessions, Display display) {
        List<AttributedString> lines = new ArrayList<>();
        for (SessionInfo info : sessions) {
            String time = info.updatedInstant()
                    .map(instant -> "  " + TIME.format(instant.atZone(ZoneId.systemDefault())))
                    .orElse("");
            lines.add(Styles.join(
                    Styles.of(SafeText.line(info.sessionId().value()), Styles.STRONG), Styles.of(time, Styles.QUIET)));
            String title = info.title();
            AttributedString text = Styles.join(
                    Styles.plain(title == null ? "" : SafeText.line(title) + "  "),
                    Styles.of(SafeText.line(info.cwd()), Styles.QUIET));
            AttributedString indent = Styles.plain("    ");
            lines.addAll(Wrap.lines(text, display.widthAfter(0), indent, indent));
        }
        return lines;
    }

    /** Returns a session as the protocol writes it. */
    static String json(SessionInfo info) {
        return RawJson.encode(info, Codecs.sessionInfo()).toString();
    }

    /** Returns a session for a sentence. */
    static String name(SessionInfo info) {
        String title = info.title();
        String id = SafeText.line(info.sessionId().value());
        return title == null ? id : id + " (" + SafeText.line(title) + ")";
    }
}
