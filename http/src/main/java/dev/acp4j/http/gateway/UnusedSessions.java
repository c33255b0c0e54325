package dev.acp4j.http.gateway;

import dev.acp4j.http.Principal;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.Time;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Has agents delete the sessions that their user has not used for long. An agent is asked when it runs anyway and has a
 * session open, once an hour for each user: none is started for it. Used by the thread of the clock only.
 */
final class UnusedSessions {
    private static final long HOUR = Duration.ofHours(1).toNanos();
    private static final System.Logger LOG = System.getLogger("dev.acp4j.http.gateway");

    private final SessionOwners owners;
    private final long days;
    private final Time time;
    private final Consumer<GatewayEvent> onEvent;

    /** When the sessions of a user were looked at. */
    private final Map<Principal, Long> looked = new HashMap<>();

    /** @param days how long sessions are kept; 0 for ever */
    UnusedSessions(SessionOwners owners, long days, Time time, Consumer<GatewayEvent> onEvent) {
        this.owners = owners;
        this.days = days;
        this.time = time;
        this.onEvent = onEvent;
    }

    /** Looks at the sessions of those whose agents run. */
    void tick(Map<HostedAgent, @Nullable Attachments> running) {
        long now = time.nanoTime();
        looked.values().removeIf(at -> now - at >= HOUR);
        for (HostedAgent agent : days == 0 ? Set.<HostedAgent>of() : running.keySet()) {
            if (!agent.openSessions().isEmpty() && looked.putIfAbsent(agent.principal(), now) == null) {
                List<HostedAgent> own = running.keySet().stream()
                        .filter(each -> each.principal().equals(agent.principal()))
                        .toList();
                Attachments clients = running.get(agent);
                Thread unused =
                        Thread.ofVirtual().name("acp4j-gateway-unused").start(() -> remove(agent, clients, own));
            }
        }
    }

    private void remove(HostedAgent agent, @Nullable Attachments clients, List<HostedAgent> own) {
        Principal principal = agent.principal();
        try {
            for (HostedAgent each : own) {
                for (String open : each.openSessions()) {
                    owners.opened(principal, open);
                }
            }
            for (String session : owners.unused(principal, days)) {
                // Another agent of the user may have opened it meanwhile.
                if (owners.isUnused(principal, session, days) && remove(agent, clients, session)) {
                    owners.deleted(principal, session);
                    onEvent.accept(new GatewayEvent.SessionRemoved(principal));
                }
            }
        } catch (RpcError e) {
            LOG.log(System.Logger.Level.DEBUG, "an agent cannot delete sessions", e);
        } catch (RpcException e) {
            LOG.log(System.Logger.Level.DEBUG, "an agent has ended before it deleted a session", e);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "it could not be recorded when a session was used", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Returns whether there is no such session any more. One that the agent does not delete keeps none of the others.
     *
     * @throws RpcError when the agent cannot delete any
     */
    private static boolean remove(HostedAgent agent, @Nullable Attachments clients, String session)
            throws InterruptedException {
        try {
            return delete(agent, clients, session);
        } catch (RpcError e) {
            if (e.code() == RpcError.METHOD_NOT_FOUND) {
                throw e;
            }
            if (e.code() == RpcError.RESOURCE_NOT_FOUND) {
                return true;
            }
            LOG.log(
                    System.Logger.Level.WARNING,
                    "an agent has not deleted a session that was not used: " + e.getMessage());
            return false;
        }
    }

    /** Returns whether the agent has deleted a session; of a shared agent, it does not while a client opens it. */
    private static boolean delete(HostedAgent agent, @Nullable Attachments clients, String session)
            throws InterruptedException {
        if (clients != null) {
            return clients.deleteUnopened(session);
        }
        agent.call("session/delete", RawJson.parse("{\"sessionId\":" + RawJson.string(session) + "}"));
        return true;
    }
}
