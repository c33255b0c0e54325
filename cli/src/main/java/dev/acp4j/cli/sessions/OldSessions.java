package dev.acp4j.cli.sessions;

import dev.acp4j.AuthenticationRequiredException;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Feature;
import dev.acp4j.cli.command.CommandFailedException;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.NotOfferedException;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.session.EarlierSessions;
import dev.acp4j.cli.terminal.StandardStream;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.cli.terminal.TerminalText;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.SessionInfo;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Deletes the sessions of an agent that were last used before some time, after the user has seen and confirmed it. */
final class OldSessions {
    private final ConnectedAgent agent;
    private final Streams streams;
    private final boolean json;

    OldSessions(ConnectedAgent agent, Streams streams, boolean json) {
        this.agent = agent;
        this.streams = streams;
        this.json = json;
    }

    /**
     * Deletes them.
     *
     * @param before the time; sessions without a date are kept and named
     * @param folder only those of this folder; null for all
     * @param isConfirmed whether the user is not asked
     */
    void delete(Instant before, @Nullable Path folder, boolean isConfirmed) throws InterruptedException {
        NotOfferedException.require(agent, Feature.LIST_SESSIONS);
        NotOfferedException.require(agent, Feature.DELETE_SESSION);
        List<SessionInfo> old = new ArrayList<>();
        List<String> undated = new ArrayList<>();
        for (SessionInfo info : EarlierSessions.listed(agent, folder)) {
            Instant used = info.updatedInstant().orElse(null);
            if (used == null) {
                undated.add(SessionsText.name(info));
            } else if (used.isBefore(before)) {
                old.add(info);
            }
        }
        if (!undated.isEmpty()) {
            streams.err().println("Kept, because the agent gives no date: " + String.join(", ", undated));
        }
        if (old.isEmpty()) {
            say("There are no sessions that old.");
            return;
        }
        // With --json, standard output is for what was deleted.
        StandardStream shown = json ? streams.err() : streams.out();
        SessionsText.lines(old, shown.display()).forEach(shown::print);
        if (isConfirmed || confirms(old.size())) {
            delete(old);
        } else {
            say("Nothing is deleted.");
        }
    }

    private boolean confirms(int count) {
        if (!streams.hasPerson()) {
            throw new UsageException("nothing is deleted: there is no terminal to ask for consent; add --yes");
        }
        streams.err().print(TerminalText.of("Delete " + sessions(count) + "? (y or n) "));
        try {
            String answer = new BufferedReader(new InputStreamReader(streams.in(), streams.charset())).readLine();
            return answer != null && answer.strip().toLowerCase(Locale.ROOT).matches("y|yes");
        } catch (IOException e) {
            return false;
        }
    }

    /** A session that the agent does not delete does not keep the others. */
    private void delete(List<SessionInfo> old) throws InterruptedException {
        int deleted = 0;
        List<String> refused = new ArrayList<>();
        try {
            for (SessionInfo info : old) {
                try {
                    agent.deleteSession(info.sessionId());
                    deleted++;
                    if (json) {
                        streams.out().json(SessionsText.json(info));
                    }
                } catch (AuthenticationRequiredException e) {
                    throw e;
                } catch (RpcError e) {
                    refused.add(SessionsText.name(info) + ": " + Failure.errorText(e));
                }
            }
        } finally {
            say("Deleted " + sessions(deleted) + ".");
        }
        if (!refused.isEmpty()) {
            throw new CommandFailedException(Failure.agent(
                    "the agent has not deleted " + sessions(refused.size()), refused.toArray(String[]::new)));
        }
    }

    private void say(String text) {
        if (!json) {
            streams.err().println(text);
        }
    }

    private static String sessions(int count) {
        return count == 1 ? "1 session" : count + " sessions";
    }
}
