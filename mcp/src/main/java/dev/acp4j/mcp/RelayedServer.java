package dev.acp4j.mcp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Feature;
import dev.acp4j.SessionSetup;
import dev.acp4j.json.RawJson;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.StreamTransport;
import dev.acp4j.rpc.Time;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.Meta;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A server over HTTP for an agent that has no HTTP: connected with the first request, and again when the connection was
 * lost. It is not offered to ask the user.
 *
 * <p>The lock guards the connection, and is held while that is opened: the first requests wait for it.
 */
final class RelayedServer implements Face.Provider {
    private static final Duration OPENING = Duration.ofMinutes(1);
    private static final Duration SILENCE = Duration.ofMinutes(10);
    private static final Duration MOST = Duration.ofHours(1);
    private static final int MOST_UNLISTED = 1_000;

    private final McpServer.Http declaration;
    private final List<Path> roots;
    private final Redaction redaction;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable Link link;

    /** What the tools of the server take, by their names, as far as they were listed. */
    private final Map<String, RawJson> schemas = new ConcurrentHashMap<>();

    /** Names that were called and not found in the list. */
    private final Set<String> unlisted = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    RelayedServer(McpServer.Http declaration, @Nullable SessionSetup setup) {
        this.declaration = declaration;
        this.roots = setup == null ? List.of() : setup.roots();
        this.redaction = ConnectedServer.redaction(declaration);
    }

    @Override
    public RawJson answer(String method, Members params, Face.Notices notices) throws InterruptedException {
        Link server = link();
        if (method.equals("server/discover")) {
            return discovered(server);
        }
        try {
            RawJson result = method.equals("tools/call")
                    ? call(server, params, notices)
                    : ask(server, method, params, notices, "");
            if (method.equals("tools/list")) {
                keep(Members.of(result).list("tools"));
            }
            return complete(method, Members.of(result));
        } catch (RpcError e) {
            throw e;
        } catch (RpcException e) {
            throw unreachable(e);
        }
    }

    /** Calls a tool with the arguments that its schema wants as headers, too. */
    private RawJson call(Link server, Members params, Face.Notices notices) throws InterruptedException {
        String tool = params.text("name", "");
        if (!schemas.containsKey(tool) && !unlisted.contains(tool) && unlisted.size() < MOST_UNLISTED) {
            boolean unused = isListed(server);
            if (!schemas.containsKey(tool)) {
                unused = unlisted.add(tool);
            }
        }
        try {
            return ask(server, "tools/call", params, notices, tool);
        } catch (RpcError e) {
            // The tool is another one now.
            if (e.code() != Link.HEADER_MISMATCH || !isListed(server)) {
                throw e;
            }
            return ask(server, "tools/call", params, notices, tool);
        }
    }

    /** Keeps what the tools take; returns false if the server does not list them, which is no reason to call none. */
    private boolean isListed(Link server) throws InterruptedException {
        try {
            keep(server.list("tools/list", "tools", OPENING));
            return true;
        } catch (RpcException e) {
            return false;
        }
    }

    private void keep(List<RawJson> tools) {
        for (RawJson each : tools) {
            Members tool = Members.of(each);
            RawJson schema = tool.raw("inputSchema");
            if (schema != null) {
                schemas.put(tool.text("name", ""), schema.copy());
            }
        }
    }

    /** @param tool the tool that is called; empty if none is */
    private RawJson ask(Link server, String method, Members params, Face.Notices notices, String tool)
            throws InterruptedException {
        Map<String, RawJson> members = new LinkedHashMap<>(params.all());
        members.remove("_meta");
        RawJson token = params.object("_meta").raw("progressToken");
        RawJson schema = schemas.get(tool);
        RawJson arguments = params.raw("arguments");
        return server.request(
                method,
                out -> members.forEach((name, value) -> {
                    out.name(name);
                    out.raw(value);
                }),
                Meta.EMPTY,
                schema == null || arguments == null ? Map.of() : ParameterHeaders.of(schema, arguments),
                token == null ? null : progress(token.copy(), notices),
                SILENCE,
                MOST);
    }

    private RpcError unreachable(Exception e) {
        return new RpcError(
                RpcError.INTERNAL_ERROR,
                "the server " + declaration.name() + " cannot be reached: "
                        + redaction.redact(String.valueOf(e.getMessage())));
    }

    private static Link.Progress progress(RawJson token, Face.Notices notices) {
        return (done, total, message) -> {
            try {
                notices.send("notifications/progress", Link.object(out -> {
                    out.name("progressToken");
                    out.raw(token);
                    out.name("progress");
                    out.number(done);
                    if (total != null) {
                        out.name("total");
                        out.number(total);
                    }
                    out.name("message");
                    out.string(message);
                }));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
    }

    private Link link() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            Link known = link;
            if (known != null && known.isOpen()) {
                return known;
            }
            if (closed) {
                throw new RpcError(RpcError.INTERNAL_ERROR, "the session has ended");
            }
            Link opened = open();
            link = opened;
            if (closed) {
                // While it was opened.
                opened.close();
            }
            return opened;
        } finally {
            lock.unlock();
        }
    }

    private Link open() throws InterruptedException {
        HttpTransport http = new HttpTransport(
                URI.create(declaration.url()), declaration.headers(), false, StreamTransport.STANDARD_MESSAGE_BYTES);
        Link opened = Link.over(http, new Home(), declaration.name(), Time.SYSTEM, new Silent());
        boolean isOpened = false;
        try {
            opened.introduce(OPENING);
            isOpened = true;
            return opened;
        } catch (IOException | RpcException e) {
            throw unreachable(e);
        } finally {
            if (!isOpened) {
                opened.close();
            }
        }
    }

    /** Says what the server is, without reports about changes, which are not passed on. */
    private static RawJson discovered(Link server) {
        return Link.object(out -> {
            out.name("resultType");
            out.string("complete");
            out.name("ttlMs");
            out.int64(0);
            out.name("cacheScope");
            out.string("private");
            out.name("supportedVersions");
            out.beginArray();
            out.string(Link.MODERN);
            out.endArray();
            out.name("capabilities");
            out.beginObject();
            for (String known : List.of("tools", "prompts", "resources", "completions")) {
                if (server.offers(known)) {
                    out.name(known);
                    out.raw(RawJson.EMPTY_OBJECT);
                }
            }
            out.endObject();
            if (!server.instructions().isEmpty()) {
                out.name("instructions");
                out.string(server.instructions());
            }
            out.name("_meta");
            out.beginObject();
            out.name(Face.SERVER_INFO);
            out.raw(server.info().json());
            out.endObject();
        });
    }

    /** Adds what results of older servers do not have. */
    private static RawJson complete(String method, Members result) {
        Members all = result.has("resultType") ? result : result.with("resultType", RawJson.string("complete"));
        if (method.endsWith("/list") && !all.has("ttlMs")) {
            all = all.with("ttlMs", RawJson.parse("0")).with("cacheScope", RawJson.string("private"));
        }
        return all.json();
    }

    @Override
    public void close() {
        closed = true;
        if (lock.tryLock()) {
            try {
                if (link != null) {
                    link.close();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** The folders of the session, and nobody who can be asked. */
    private final class Home implements Link.Home {
        @Override
        public boolean supports(Feature asking) {
            return false;
        }

        @Override
        public List<Path> roots() {
            return roots;
        }
    }

    /** Passes on neither reports nor questions. */
    private static final class Silent implements Link.Listener {
        @Override
        public void changed(String list) {}

        @Override
        public RawJson asked(Members question) {
            throw RpcError.methodNotFound("elicitation/create");
        }
    }
}
