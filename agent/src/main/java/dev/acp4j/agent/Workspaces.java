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
 * The workspaces that sessions are working in. Sessions in the same folders share one, so that the files are read once;
 * it goes with the last session that holds it.
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

    // A loop, because a lambda would be the first one that opening a session meets.
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
