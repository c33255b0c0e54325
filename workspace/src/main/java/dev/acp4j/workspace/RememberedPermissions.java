package dev.acp4j.workspace;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Client;
import dev.acp4j.Entry;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallLocation;
import dev.acp4j.schema.ToolKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the user's choices of <i>always</i>, and answers identical requests of the same session by itself. Agents
 * should remember such a choice, but not all do.
 *
 * <p>Requests are identical if title, kind, input, content and files are equal: the user has seen exactly this before.
 * A tool call without details is never remembered. Beyond 1,000 choices the oldest is forgotten.
 *
 * <p>Thread-safe. The lock guards the choices; the underlying handler is not called while holding it.
 */
public final class RememberedPermissions implements Client.PermissionHandler {
    private static final int REMEMBERED = 1_000;

    private final Client.PermissionHandler handler;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<Subject, PermissionOptionKind> choices = new LinkedHashMap<>();

    /** The described effect of a tool call. */
    private record Subject(
            SessionId session,
            String title,
            @Nullable String name,
            ToolKind kind,
            List<ToolCallContent> content,
            List<ToolCallLocation> locations,
            @Nullable RawJson rawInput) {
        /** Returns null if there are too few details: a title alone, such as "Run a command", can mean anything. */
        static @Nullable Subject of(PermissionQuestion request) {
            Entry.ToolCall call = request.toolCall();
            if (call == null
                    || (call.rawInput() == null
                            && call.content().isEmpty()
                            && call.locations().isEmpty())) {
                return null;
            }
            return new Subject(
                    request.session().id(),
                    request.title(),
                    call.name(),
                    call.kind(),
                    call.content(),
                    call.locations(),
                    call.rawInput());
        }
    }

    private RememberedPermissions(Client.PermissionHandler handler) {
        this.handler = handler;
    }

    /** Returns an empty memory in front of a handler. */
    public static RememberedPermissions of(Client.PermissionHandler handler) {
        return new RememberedPermissions(handler);
    }

    @Override
    public RequestPermissionOutcome decide(PermissionQuestion request) throws Exception {
        Subject subject = Subject.of(request);
        if (subject == null) {
            return handler.decide(request);
        }
        PermissionOptionKind known = find(subject);
        if (known != null) {
            RequestPermissionOutcome again = repeat(known, request);
            if (again instanceof RequestPermissionOutcome.Selected) {
                return again;
            }
        }
        RequestPermissionOutcome outcome = handler.decide(request);
        if (outcome instanceof RequestPermissionOutcome.Selected selected) {
            remember(subject, selected, request);
        }
        return outcome;
    }

    /** Repeats the choice if it is offered, in its weaker form if possible. */
    private static RequestPermissionOutcome repeat(PermissionOptionKind always, PermissionQuestion request) {
        PermissionOptionKind once =
                always.isAllow() ? PermissionOptionKind.ALLOW_ONCE : PermissionOptionKind.REJECT_ONCE;
        return Permissions.first(request, once, always);
    }

    private @Nullable PermissionOptionKind find(Subject subject) {
        lock.lock();
        try {
            return choices.get(subject);
        } finally {
            lock.unlock();
        }
    }

    private void remember(Subject subject, RequestPermissionOutcome.Selected selected, PermissionQuestion request) {
        for (PermissionOption option : request.options()) {
            boolean isMeant = option.optionId().equals(selected.optionId())
                    && request.choose(option) instanceof RequestPermissionOutcome.Selected;
            if (isMeant && option.kind().isAlways()) {
                put(subject, option.kind());
                return;
            }
        }
    }

    private void put(Subject subject, PermissionOptionKind always) {
        lock.lock();
        try {
            choices.put(subject, always);
            if (choices.size() > REMEMBERED) {
                choices.remove(choices.keySet().iterator().next());
            }
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
