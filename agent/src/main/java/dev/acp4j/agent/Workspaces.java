package dev.acp4j.agent;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The workspaces of the sessions. Sessions in the same folders share one, so that the files are read once; it is
 * released with the last session that uses it.
 *
 * <p>The lock guards the map.
 */
final class Workspaces {
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<List<Path>, WeakReference<Workspace>> byRoots = new HashMap<>();

    Workspace of(List<Path> roots) {
        lock.lock();
        try {
            forgetUnused();
            WeakReference<Workspace> known = byRoots.get(roots);
            Workspace workspace = known == null ? null : known.get();
            if (workspace == null) {
                workspace = new Workspace(roots);
                byRoots.put(List.copyOf(roots), new WeakReference<>(workspace));
            }
            return workspace;
        } finally {
            lock.unlock();
        }
    }

    // A loop, because it would be the first lambda on the path of opening a session, which costs time.
    @GuardedBy("lock")
    private void forgetUnused() {
        Iterator<WeakReference<Workspace>> references = byRoots.values().iterator();
        while (references.hasNext()) {
            if (references.next().refersTo(null)) {
                references.remove();
            }
        }
    }
}
