package dev.acp4j;

import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.MalformedMessageException;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.Meta;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A session that an agent was asked to open. If nobody waits for it any more when the agent has opened it all the same,
 * it is closed again: nobody else knows of it.
 */
final class NewSession {
    private final ConnectedAgent agent;
    private final SessionSetup setup;
    private final AtomicReference<@Nullable Session> session = new AtomicReference<>();
    private volatile boolean givenUp;

    NewSession(ConnectedAgent agent, SessionSetup setup) {
        this.agent = agent;
        this.setup = setup;
    }

    /** Takes the session, in the order of the wire: before anything that follows it. */
    Handler.@Nullable Delivery opened(ClientDialect.Opened how) {
        Session opened = agent.session(how.id());
        Handler.Delivery report = null;
        if (opened.claim(setup)) {
            report = opened.opened(how);
            session.set(opened);
        }
        return givenUp ? this::closeIfOpened : report;
    }

    /** Returns the session to the caller that waited for the answer. */
    Session get(ClientDialect.Opened how) {
        Session opened = session.get();
        if (opened == null) {
            throw new MalformedMessageException(
                    "session/new: the agent gave the id of a session that is open: " + how.id(), null, null);
        }
        return opened;
    }

    void giveUp() {
        givenUp = true;
        closeIfOpened();
    }

    /** Closes the session without waiting for the answer, which concerns nobody. */
    private void closeIfOpened() {
        Session unwanted = session.getAndSet(null);
        if (unwanted == null) {
            return;
        }
        unwanted.detach();
        if (!agent.supports(Feature.CLOSE_SESSION)) {
            return;
        }
        try {
            Call unused = agent.dialect()
                    .closeSession(unwanted.id(), Meta.EMPTY)
                    .prepare(agent.rpc(), null)
                    .send();
        } catch (RpcException | IllegalStateException e) {
            // The connection has ended, and the session with it, or it is so busy that one more does not matter.
        }
    }
}
