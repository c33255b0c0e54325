package dev.acp4j.rpc;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A handler at work. Threads that it starts inherit it, so that their waiting is known to be the handler's waiting;
 * once it is done that means nothing any more.
 */
class Work {
    private static final InheritableThreadLocal<@Nullable Work> CURRENT = new InheritableThreadLocal<>();

    /** The connection whose handler this is: a handler of one may wait for another. */
    final ConnectionState owner;

    private volatile boolean done;

    Work(ConnectionState owner) {
        this.owner = owner;
    }

    /** Returns what the current thread works for, or null. */
    static @Nullable Work current() {
        Work work = CURRENT.get();
        return work == null || work.done ? null : work;
    }

    /** The current thread works for nothing any more, and holds on to nothing that it worked for. */
    static void forget() {
        CURRENT.remove();
    }

    final void begin() {
        CURRENT.set(this);
    }

    final void end() {
        done = true;
    }

    final boolean isDone() {
        return done;
    }

    /** One thing to be done in a lane: deliver a notification, accept a request, end a step. */
    abstract static class InLane extends Work {
        enum Kind {
            NOTIFICATION,
            REQUEST,
            STEP,
            /** A problem to be reported; nothing that the peer sent. */
            REPORT
        }

        final Kind kind;

        /** How much memory the item takes; 0 for what is not bounded. */
        final int bytes;

        // Guarded by the lock of ConnectionState.

        /** What threads of this item wait for. */
        List<Step> waitingFor = List.of();

        /** Since when threads of this item have waited for the peer without a break, if they do. */
        long waitingSince;

        /** The lane that the item runs in. */
        ConnectionState.@Nullable Lane runsIn;

        InLane(ConnectionState owner, Kind kind, int bytes) {
            super(owner);
            this.kind = kind;
            this.bytes = bytes;
        }

        /** Whether it is a message, which may be discarded. */
        final boolean isMessage() {
            return kind == Kind.NOTIFICATION || kind == Kind.REQUEST;
        }

        final void beginWaiting(Step step, long now) {
            if (waitingFor.isEmpty()) {
                // Most items never wait, and there are many of them.
                waitingFor = new ArrayList<>(1);
                waitingSince = now;
            }
            waitingFor.add(step);
        }

        final void endWaiting(Step step) {
            waitingFor.remove(step);
        }

        final boolean waitsForPeer() {
            return !waitingFor.isEmpty();
        }

        /** Returns the step that this ends, or null. */
        @Nullable
        Step step() {
            return null;
        }

        /** It will not run, as the connection cannot go on. Called with the lock held. */
        void discarded() {}

        /** It has waited until the connection was closed, and will not run. Called with the lock held. */
        void dropped() {}

        /** Whether answers that are passed on need not wait for it while it runs. Called with the lock held. */
        boolean letsAnswersPass() {
            return false;
        }

        /** Does it. Returns what is left to be done beside the lane, or null. Must not throw. */
        @Nullable
        abstract Runnable run();

        final @Nullable Runnable runAsCurrent() {
            begin();
            return run();
        }
    }
}
