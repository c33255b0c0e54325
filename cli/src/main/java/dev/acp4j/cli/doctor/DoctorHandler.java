package dev.acp4j.cli.doctor;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.RequestPermissionResponse;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.Version;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Handles the messages of an agent to {@code acp doctor}, which offers no methods and grants no permissions. */
final class DoctorHandler implements Handler {
    private final Set<String> unoffered = new ConcurrentSkipListSet<>();
    private final Set<String> unreadable = new ConcurrentSkipListSet<>();
    private final AtomicInteger updates = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicInteger permissions = new AtomicInteger();
    private final Semaphore arrivals = new Semaphore(0);
    private final BlockingQueue<String> ends = new LinkedBlockingQueue<>();
    private volatile Version version = Version.V1;
    private volatile boolean isRunning;
    private volatile boolean saysWhenItBegins;
    private volatile boolean echoes;
    private volatile int commands;
    private volatile @Nullable McpOffers mcp;

    @Override
    public Acceptance request(IncomingRequest request) {
        return () -> accept(request);
    }

    private Task accept(IncomingRequest request) {
        String method = request.method();
        RawJson params = request.params();
        if (method.equals(ClientMethods.REQUEST_PERMISSION.name()) && params != null) {
            permissions.incrementAndGet();
            RequestPermissionOutcome outcome = reject(options(params));
            return () ->
                    RawJson.encode(RequestPermissionResponse.of(outcome), ClientMethods.REQUEST_PERMISSION.result());
        }
        McpOffers offers = mcp;
        if (method.equals(ClientMethods.MESSAGE_MCP.name()) && params != null && offers != null) {
            return () -> offers.answer(params, version);
        }
        if (method.equals(AgentMethods.INITIALIZE.name())) {
            echoes = true;
        } else if (!method.startsWith("_")) {
            unoffered.add(method);
        }
        throw RpcError.methodNotFound(method);
    }

    private List<PermissionOption> options(RawJson params) {
        return version == Version.V2
                ? params.decode(ClientMethods.REQUEST_PERMISSION_V2.params(Version.V2), "params")
                        .options()
                : params.decode(ClientMethods.REQUEST_PERMISSION.params(), "params")
                        .options();
    }

    private static RequestPermissionOutcome reject(List<PermissionOption> options) {
        for (PermissionOption option : options) {
            if (option.kind().equals(PermissionOptionKind.REJECT_ONCE)) {
                return new RequestPermissionOutcome.Selected(option.optionId(), Rest.NONE);
            }
        }
        return new RequestPermissionOutcome.Cancelled(Rest.NONE);
    }

    @Override
    public Delivery notification(Message message) {
        return () -> handle(message.method(), message.params());
    }

    private void handle(String method, @Nullable RawJson params) {
        if (!method.equals(ClientMethods.UPDATE.name()) || params == null) {
            return;
        }
        try {
            SessionNotification notification = params.decode(ClientMethods.UPDATE.params(version), "params");
            SessionUpdate update = notification.update();
            if (update instanceof SessionUpdate.AvailableCommandsUpdate available) {
                commands = available.availableCommands().size();
            }
            if (update instanceof StateUpdate state) {
                handle(state);
            }
            if (update instanceof StateUpdate || update instanceof SessionUpdate.UserMessage) {
                return;
            }
        } catch (RuntimeException e) {
            unreadable.add(String.valueOf(e.getMessage()));
            lost.incrementAndGet();
        }
        updates.incrementAndGet();
        arrivals.release();
    }

    /**
     * In version 2 a turn ends when the agent becomes idle. A repeated state is no end, except that an agent that never
     * says when it begins ends each turn with a reason.
     */
    private void handle(StateUpdate state) {
        if (state instanceof StateUpdate.Running || state instanceof StateUpdate.RequiresAction) {
            isRunning = true;
            saysWhenItBegins = true;
        } else if (state instanceof StateUpdate.Idle idle
                && (isRunning || (!saysWhenItBegins && idle.stopReason() != null))) {
            isRunning = false;
            StopReason reason = idle.stopReason();
            ends.add(
                    idle.error() != null
                            ? "the error " + idle.error().message()
                            : reason == null ? "no stop reason" : reason.value());
        }
    }

    /** Sets what answers requests to MCP servers. */
    void mcp(McpOffers offers) {
        mcp = offers;
    }

    /** Sets the version in which messages are read. */
    void version(Version spoken) {
        version = spoken;
    }

    /** Forgets the updates and the ends of earlier turns. */
    void beginTurn() {
        ends.clear();
        arrivals.drainPermits();
    }

    /** Returns whether a turn has ended since the last one was begun, in version 2. */
    boolean hasEnded() {
        return !ends.isEmpty();
    }

    /** Returns why a turn ended, in version 2; waits for that, and returns null after the timeout. */
    @Nullable
    String awaitEnd(Duration most) throws InterruptedException {
        return ends.poll(most.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Waits for the next update of the turn, with a timeout. */
    void awaitUpdate(Duration most) throws InterruptedException {
        boolean unused = arrivals.tryAcquire(most.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Returns the number of updates, without the prompt itself and the states of version 2. */
    int updates() {
        return updates.get();
    }

    /** Returns the number of updates that could not be read. */
    int lost() {
        return lost.get();
    }

    int permissions() {
        return permissions.get();
    }

    /** Returns whether the agent echoed its input. */
    boolean echoes() {
        return echoes;
    }

    /** Returns the number of commands it offers. */
    int commands() {
        return commands;
    }

    /** Returns the methods it called without being offered them. */
    List<String> unoffered() {
        return List.copyOf(unoffered);
    }

    /** Returns the problems of invalid updates. */
    List<String> unreadable() {
        return List.copyOf(unreadable);
    }
}
