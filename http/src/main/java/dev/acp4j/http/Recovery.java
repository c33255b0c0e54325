package dev.acp4j.http;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Makes a new connection of the server in the place of one that was lost: {@code initialize} with the same params and
 * the same version, then each session, with its settings. Tries until it succeeds, the patience is over, or trying
 * again would end the same. One thread runs it.
 */
final class Recovery {
    private final RemoteAgent.Settings settings;
    private final RemoteTransport transport;
    private final Patience patience;

    Recovery(RemoteAgent.Settings settings, RemoteTransport transport, Patience patience) {
        this.settings = settings;
        this.transport = transport;
        this.patience = patience;
    }

    /** Recovers, or ends the transport. */
    void run(HttpFailure why) {
        patience.begins(Resumption.NONE);
        long wait = why.retryNanos();
        HttpFailure last = why;
        try {
            while (transport.pause(patience, wait)) {
                try {
                    attempt();
                    return;
                } catch (HttpFailure e) {
                    transport.giveUp(e);
                    last = e;
                    wait = e.retryNanos();
                    if (e.kind() == HttpFailure.Kind.FINAL) {
                        break;
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        transport.end(new IOException("the agent at " + settings.endpoint + " is lost: " + last.getMessage(), last));
    }

    private void attempt() throws HttpFailure, InterruptedException {
        RemoteTransport.Known known = transport.known();
        RemoteTransport.Connected made = transport.connectAgain(known.initialize());
        boolean isLive = false;
        try {
            RawJson result = requireSameVersion(made.answer(), known.agreed());
            for (OpenSessions.Opened session : known.sessions()) {
                reopen(made, session, result);
            }
            transport.goOn(made, result);
            isLive = true;
        } finally {
            if (!isLive) {
                // Nobody would end what was made, and its streams would keep it at the server.
                made.listening().line.close(true);
            }
        }
    }

    private RawJson requireSameVersion(Message answer, RawJson agreed) throws HttpFailure {
        RawJson result = answer.result();
        long version = version(agreed);
        if (result == null || Raw.number(result, -1, "protocolVersion") != version) {
            throw new HttpFailure(
                    HttpFailure.Kind.FINAL,
                    "the agent at " + settings.endpoint + " speaks version " + version
                            + " of the protocol no more; it answers " + (result == null ? answer.error() : result),
                    null);
        }
        return result;
    }

    private static long version(RawJson initialized) {
        return Raw.number(initialized, 0, "protocolVersion");
    }

    /**
     * Opens a session anew: resumed if the agent can, otherwise loaded, and then its replay is not seen again. A server
     * that has kept what the client has missed sends that in any case.
     */
    private void reopen(RemoteTransport.Connected made, OpenSessions.Opened session, RawJson initialized)
            throws HttpFailure, InterruptedException {
        String id = session.id();
        boolean resumes = version(initialized) >= 2
                || Raw.isOffered(initialized, "agentCapabilities", "sessionCapabilities", "resume");
        boolean loads = Raw.isOffered(initialized, "agentCapabilities", "loadSession");
        boolean isKept = !session.seen().isEmpty();
        if (!resumes && !loads && !isKept) {
            forget(id, "the agent can neither resume nor load sessions");
            return;
        }
        RawJson params = Raw.with(Raw.with(session.params(), "replayFrom", null), "sessionId", RawJson.string(id));
        if (isKept) {
            params = Raw.withMeta(params, Wire.SEEN, RawJson.string(session.seen()));
        }
        boolean loadsIt = loads && !resumes;
        Message answer = ask(made, loadsIt ? "session/load" : "session/resume", params, loadsIt ? id : "");
        RawJson opened = answer.result();
        if (opened == null) {
            forget(id, "the agent answered " + answer.error());
            return;
        }
        boolean isSameCount = transport.reopened(id, opened);
        if (isKept && (!isSameCount || Raw.isOffered(opened, "_meta", Wire.UPDATES_LOST))) {
            settings.report("session " + id + " goes on, but what it said meanwhile is not known any more", null);
        }
        for (Message setting : session.settings()) {
            Message set = ask(made, setting.method(), setting.params(), "");
            if (set.isError()) {
                changed(
                        id,
                        "session " + id + " has another setting than before, check it: " + setting.method()
                                + " was answered " + set.error());
            }
        }
    }

    /**
     * Asks the agent.
     *
     * @throws HttpFailure also when it is the server that refuses, for now: on a WebSocket it has no status to say so
     */
    private Message ask(RemoteTransport.Connected made, String method, @Nullable RawJson params, String session)
            throws HttpFailure, InterruptedException {
        Message answer = transport.ask(made.listening(), method, params, session);
        String reason = Raw.text(answer.error(), "data", "reason");
        if (reason.equals(Wire.DRAINING) || reason.equals(Wire.TOO_MANY_REQUESTS)) {
            throw new HttpFailure(HttpFailure.Kind.LATER, method + " was answered " + answer.error(), null);
        }
        return answer;
    }

    private void forget(String session, String why) {
        transport.forget(session);
        changed(session, "session " + session + " could not be opened again: " + why);
    }

    private void changed(String session, String what) {
        transport.refuseWaiting(session, what);
        settings.report(what, null);
    }
}
