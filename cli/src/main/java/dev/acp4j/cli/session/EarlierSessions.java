package dev.acp4j.cli.session;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.Feature;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** The earlier sessions of an agent: those that it lists, or if it lists none, those that acp remembers. */
public final class EarlierSessions {
    /** An agent that lists more would fill the memory. */
    private static final int MOST = 10_000;

    /** How many are named in an error. */
    private static final int MOST_NAMED = 20;

    private static final Comparator<SessionInfo> LATEST_FIRST = Comparator.comparing(
                    (SessionInfo info) -> info.updatedInstant().orElse(Instant.MIN))
            .reversed();

    private EarlierSessions() {}

    /**
     * Returns the sessions that an agent lists, the one used last first.
     *
     * @param cwd only those of this folder; null for all
     */
    public static List<SessionInfo> listed(ConnectedAgent agent, @Nullable Path cwd) throws InterruptedException {
        List<SessionInfo> all = new ArrayList<>();
        try {
            for (SessionInfo info : agent.listSessions(cwd)) {
                // Some agents list all of their sessions.
                if (cwd == null || isIn(cwd, info.cwd())) {
                    all.add(info);
                }
                if (all.size() == MOST) {
                    break;
                }
            }
        } catch (CancellationException e) {
            Thread.interrupted();
            throw new InterruptedException("interrupted while listing sessions");
        }
        all.sort(LATEST_FIRST);
        return all;
    }

    /** Returns the sessions that an agent lists, or those that acp remembers, the one used last first. */
    static List<SessionInfo> of(
            ConnectedAgent agent, String agentName, RememberedSessions remembered, @Nullable Path cwd)
            throws InterruptedException {
        if (agent.supports(Feature.LIST_SESSIONS)) {
            return listed(agent, cwd);
        }
        List<SessionInfo> all = new ArrayList<>();
        try {
            for (RememberedSessions.Remembered each : remembered.of(agentName)) {
                if (cwd == null || isIn(cwd, each.cwd())) {
                    all.add(SessionInfo.builder(SessionId.of(each.id()), each.cwd())
                            .title(each.title())
                            .updatedAt(each.usedAt())
                            .build());
                }
            }
        } catch (IOException e) {
            throw new UsageException("the sessions that acp remembers cannot be read: " + e.getMessage());
        }
        return all;
    }

    /**
     * Returns the folder of a session.
     *
     * @throws UsageException if the agent's text is no path
     */
    public static Path folder(SessionInfo info) {
        try {
            return Path.of(info.cwd()).normalize();
        } catch (InvalidPathException e) {
            throw new UsageException(
                    "the agent names a folder for the session that is no path: " + SafeText.line(info.cwd()));
        }
    }

    /**
     * Returns the session with this id, or the only one whose id begins with it; null if there is none.
     *
     * @throws UsageException if several ids begin with it
     */
    public static @Nullable SessionInfo find(List<SessionInfo> sessions, String id) {
        List<SessionInfo> found = new ArrayList<>();
        for (SessionInfo info : sessions) {
            if (info.sessionId().value().equals(id)) {
                return info;
            }
            if (!id.isBlank() && info.sessionId().value().startsWith(id)) {
                found.add(info);
            }
        }
        if (found.size() > 1) {
            throw new UsageException("several sessions begin with " + SafeText.line(id) + ": " + names(found));
        }
        return found.isEmpty() ? null : found.getFirst();
    }

    /** Returns the ids of sessions for a message, those used last. */
    static String names(List<SessionInfo> sessions) {
        List<String> names = new ArrayList<>();
        for (SessionInfo info : sessions.subList(0, Math.min(MOST_NAMED, sessions.size()))) {
            String title = info.title();
            names.add(
                    SafeText.line(info.sessionId().value()) + (title == null ? "" : " (" + SafeText.line(title) + ")"));
        }
        if (sessions.size() > MOST_NAMED) {
            names.add("and " + (sessions.size() - MOST_NAMED) + " more");
        }
        return String.join(", ", names);
    }

    private static boolean isIn(Path cwd, String folder) {
        try {
            return Path.of(folder).normalize().equals(cwd);
        } catch (InvalidPathException e) {
            return false;
        }
    }
}
