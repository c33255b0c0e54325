package dev.acp4j.cli.session;

import dev.acp4j.Session;
import dev.acp4j.cli.terminal.Screen;
import dev.acp4j.cli.terminal.Streams;

/** The conversation of a session so far, printed to standard output. */
public final class Transcript {
    private Transcript() {}

    /** Prints the timeline of a session. */
    public static void print(Session session, Streams streams) {
        ToolCallsText toolCalls =
                new ToolCallsText(new ToolCallText(session.cwd(), terminal -> null, BinaryContent.described(), ""));
        Screen screen = new Screen(streams.out()::print, streams.outDisplay());
        new SessionRenderer(screen, toolCalls, true).follow(session, change -> true);
    }
}
