package dev.acp4j.rpc;

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
}
