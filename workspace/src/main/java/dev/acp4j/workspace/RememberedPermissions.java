package dev.acp4j.workspace;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Client;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.RequestPermissionOutcome;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the user's choices of <i>always</i>, and answers the requests that they cover by itself. Agents should
 * remember such a choice, but not all do; what an agent remembers is not known here.
 *
 * <p>A choice covers the same command, word for word; edits of files in the folders of the session; or identical
 * requests, see {@link PermissionScope#of}. Show the user this scope with the option. A tool call without details is
 * never remembered. Beyond 1,000 choices the oldest is forgotten.
 *
 * <p>Thread-safe. The lock guards the choices; the underlying handler is not called while holding it.
 */
public final class RememberedPermissions implements Client.PermissionHandler {
    private static final int REMEMBERED = 1_000;

    private final Client.PermissionHandler handler;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<PermissionScope, PermissionOptionKind> choices = new LinkedHashMap<>();

    private RememberedPermissions(Client.PermissionHandler handler) {
        this.handler = handler;
    }

    /** Returns an empty memory in front of a handler. */
    public static RememberedPermissions of(Client.PermissionHandler handler) {
        return new RememberedPermissions(handler);
    }

    @Override
    public RequestPermissionOutcome decide(PermissionQuestion request) throws Exception {
        PermissionOptionKind known = find(request);
        if (known != null) {
            RequestPermissionOutcome again = repeat(known, request);
            if (again instanceof RequestPermissionOutcome.Selected) {
                return again;
            }
        }
        RequestPermissionOutcome outcome = handler.decide(request);
        if (outcome instanceof RequestPermissionOutcome.Selected selected) {
            remember(selected, request);
        }
        return outcome;
    }

    /** Repeats the choice if it is offered, in its weaker form if possible. */
    private static RequestPermissionOutcome repeat(PermissionOptionKind always, PermissionQuestion request) {
        PermissionOptionKind once =
                always.isAllow() ? PermissionOptionKind.ALLOW_ONCE : PermissionOptionKind.REJECT_ONCE;
        return Permissions.first(request, once, always);
    }

    /** A rejection comes before what is allowed. */
    private @Nullable PermissionOptionKind find(PermissionQuestion request) {
        PermissionOptionKind found = null;
        lock.lock();
        try {
            for (Map.Entry<PermissionScope, PermissionOptionKind> choice : choices.entrySet()) {
                boolean isFirst = found == null || !choice.getValue().isAllow();
                if (isFirst && choice.getKey().covers(request, choice.getValue())) {
                    found = choice.getValue();
                }
            }
        } finally {
            lock.unlock();
        }
        return found;
    }

    private void remember(RequestPermissionOutcome.Selected selected, PermissionQuestion request) {
        for (PermissionOption option : request.options()) {
            boolean isMeant = option.optionId().equals(selected.optionId())
                    && request.choose(option) instanceof RequestPermissionOutcome.Selected;
            if (isMeant && option.kind().isAlways()) {
                PermissionScope.of(request, option.kind()).ifPresent(scope -> put(scope, option.kind()));
                return;
            }
        }
    }

    private void put(PermissionScope scope, PermissionOptionKind always) {
        lock.lock();
        try {
            choices.put(scope, always);
            if (choices.size() > REMEMBERED) {
                choices.remove(choices.keySet().iterator().next());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the remembered choices, oldest first. */
    public Map<PermissionScope, PermissionOptionKind> choices() {
        lock.lock();
        try {
            return new LinkedHashMap<>(choices);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Lets a choice about one command cover all commands of the session.
     *
     * @return false if it is not remembered, or is not about one command
     */
    public boolean widen(PermissionScope scope) {
        PermissionScope wide = scope.widened().orElse(null);
        lock.lock();
        try {
            PermissionOptionKind kind = wide == null ? null : choices.remove(scope);
            if (wide == null || kind == null) {
                return false;
            }
            choices.put(wide, kind);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Forgets a choice; returns false if it is not remembered. */
    public boolean forget(PermissionScope scope) {
        lock.lock();
        try {
            return choices.remove(scope) != null;
        } finally {
            lock.unlock();
        }
    }

    /** Forgets all choices. */
    public void forget() {
        lock.lock();
        try {
            choices.clear();
        } finally {
            lock.unlock();
        }
    }
}
