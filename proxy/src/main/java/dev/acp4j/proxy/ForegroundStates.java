package dev.acp4j.proxy;

import dev.acp4j.rpc.Message;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What an agent of version 2 has said of its foreground work, up to the last update that was read: in which sessions it
 * is busy, and whether it says when work begins. Others only say how it ends.
 */
final class ForegroundStates {
    private final Set<String> busy = ConcurrentHashMap.newKeySet();
    private volatile boolean saysWhenItBegins;

    /** An update has been read. For the thread that reads. */
    void read(Message update) {
        String state = TurnStates.state(update);
        if (state == null) {
            return;
        }
        if (state.equals("idle")) {
            busy.remove(update.session());
        } else if (state.equals("running") || state.equals("requires_action")) {
            busy.add(update.session());
            saysWhenItBegins = true;
        }
    }

    boolean isBusy(String session) {
        return busy.contains(session);
    }

    boolean saysWhenItBegins() {
        return saysWhenItBegins;
    }

    /** A session is closed or deleted, and its work ends without a word. */
    void end(String session) {
        busy.remove(session);
    }
}
