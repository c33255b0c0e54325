package dev.acp4j.mcp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.schema.McpServer;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What is served for sessions, each declaration until its session ends.
 *
 * <p>The lock guards what is served; nothing is waited for while it is held but the port of HTTP.
 */
final class Endpoints {
    private final ReentrantLock lock = new ReentrantLock();

    /** What ends the service of each declaration. */
    @GuardedBy("lock")
    private final Map<McpServer, Runnable> served = new HashMap<>();

    /** Open while something is served there. */
    @GuardedBy("lock")
    private @Nullable HttpEndpoint http;

    @GuardedBy("lock")
    private int overHttp;

    /** Serves a session over HTTP, or by a program. Returns the declaration for the agent. */
    McpServer serve(McpServer.Acp declared, Face.Provider provider, boolean isHttp) throws IOException {
        if (isHttp) {
            return serveOverHttp(declared, provider);
        }
        ShimEndpoint endpoint = new ShimEndpoint(declared.name(), provider);
        return keep(endpoint.declaration(declared), endpoint::close);
    }

    private McpServer serveOverHttp(McpServer.Acp declared, Face.Provider provider) throws IOException {
        lock.lock();
        try {
            HttpEndpoint endpoint = http == null ? new HttpEndpoint() : http;
            http = endpoint;
            overHttp++;
            McpServer.Http own = endpoint.add(declared, provider);
            return keep(own, () -> leave(endpoint, own));
        } finally {
            lock.unlock();
        }
    }

    private void leave(HttpEndpoint endpoint, McpServer.Http own) {
        endpoint.remove(own);
        boolean isLast;
        lock.lock();
        try {
            overHttp--;
            isLast = overHttp == 0;
            if (isLast) {
                http = null;
            }
        } finally {
            lock.unlock();
        }
        if (isLast) {
            endpoint.close();
        }
    }

    /** Keeps what ends the service of a declaration. */
    McpServer keep(McpServer own, Runnable end) {
        lock.lock();
        try {
            served.put(own, end);
        } finally {
            lock.unlock();
        }
        return own;
    }

    /** Ends the service of a declaration. Does nothing for one that is not served. */
    void end(McpServer own) {
        Runnable end;
        lock.lock();
        try {
            end = served.remove(own);
        } finally {
            lock.unlock();
        }
        if (end != null) {
            end.run();
        }
    }

    /** Ends all. */
    void close() {
        List<McpServer> all;
        lock.lock();
        try {
            all = List.copyOf(served.keySet());
        } finally {
            lock.unlock();
        }
        all.forEach(this::end);
    }
}
