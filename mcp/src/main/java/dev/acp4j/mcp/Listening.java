package dev.acp4j.mcp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.RawJson;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A request {@code subscriptions/listen} that is open: what it is for, and what is to be reported to it. Reporting
 * never waits for the client: what changes again before that was sent is sent once.
 *
 * <p>The lock guards what is to be sent; nothing is sent while it is held.
 */
final class Listening {
    /** Marks what belongs to a subscription; its client knows it by the id of the request. */
    private static final RawJson SUBSCRIBED = RawJson.parse("{\"" + Face.SUBSCRIPTION + "\":0}");

    /** From here on not the part of a resource that has changed is reported, but the resource. */
    private static final int MOST_PARTS = 256;

    /** Something to be reported: a list of {@link Link#LISTS}, or the address of a resource. */
    private record Change(boolean isList, String of) {}

    private final Set<String> lists = new LinkedHashSet<>();
    private final Set<String> resources = new LinkedHashSet<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final Set<Change> changes = new LinkedHashSet<>();

    @GuardedBy("lock")
    private boolean hasEnded;

    /**
     * @param wanted the member {@code notifications} of the request
     * @param isReported whether there are reports of one of {@link Link#LISTS}
     * @param reportsUpdates whether there are reports of resources
     */
    Listening(Members wanted, Predicate<String> isReported, boolean reportsUpdates) {
        for (String list : Link.LISTS) {
            if (wanted.isTrue(list + "ListChanged") && isReported.test(list)) {
                lists.add(list);
            }
        }
        for (RawJson uri : reportsUpdates ? wanted.list("resourceSubscriptions") : List.<RawJson>of()) {
            if (uri.reader().kind() == JsonReader.Kind.STRING) {
                resources.add(uri.reader().string());
            }
        }
    }

    Set<String> lists() {
        return lists;
    }

    Set<String> resources() {
        return resources;
    }

    /** A list has changed. */
    void changed(String list) {
        if (lists.contains(list)) {
            add(new Change(true, list));
        }
    }

    /** A resource has changed, which is one of those that this is for, or a part of one. */
    void updated(String uri) {
        String of = resources.contains(uri)
                ? uri
                : resources.stream()
                        .filter(one -> Link.isPart(uri, one))
                        // It is a part of the others.
                        .max(Comparator.comparingInt(String::length))
                        .orElse(null);
        if (of != null) {
            lock.lock();
            try {
                add(new Change(false, changes.size() < MOST_PARTS ? uri : of));
            } finally {
                lock.unlock();
            }
        }
    }

    private void add(Change change) {
        lock.lock();
        try {
            changes.add(change);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Nothing is reported any more: the request is answered. */
    void end() {
        lock.lock();
        try {
            hasEnded = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Acknowledges the request and reports, until the end, or until the thread is interrupted. Returns the result. */
    RawJson report(Face.Notices notices) throws InterruptedException {
        send(notices, "notifications/subscriptions/acknowledged", acknowledged());
        for (Change next = next(); next != null; next = next()) {
            if (next.isList()) {
                send(notices, "notifications/" + next.of() + "/list_changed", RawJson.EMPTY_OBJECT);
            } else {
                RawJson uri = RawJson.string(next.of());
                send(
                        notices,
                        "notifications/resources/updated",
                        Members.NONE.with("uri", uri).json());
            }
        }
        return Link.object(out -> {
            out.name("resultType");
            out.string("complete");
            out.name("_meta");
            out.raw(SUBSCRIBED);
        });
    }

    private RawJson acknowledged() {
        return Link.object(out -> {
            out.name("notifications");
            out.beginObject();
            for (String list : lists) {
                out.name(list + "ListChanged");
                out.bool(true);
            }
            if (!resources.isEmpty()) {
                out.name("resourceSubscriptions");
                out.beginArray();
                resources.forEach(out::string);
                out.endArray();
            }
            out.endObject();
        });
    }

    private static void send(Face.Notices notices, String method, RawJson params) throws InterruptedException {
        notices.send(method, Members.of(params).with("_meta", SUBSCRIBED).json());
    }

    /** Waits for what is to be reported next; null at the end. */
    private @Nullable Change next() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (changes.isEmpty() && !hasEnded) {
                changed.await();
            }
            if (hasEnded) {
                return null;
            }
            Change next = changes.iterator().next();
            changes.remove(next);
            return next;
        } finally {
            lock.unlock();
        }
    }
}
