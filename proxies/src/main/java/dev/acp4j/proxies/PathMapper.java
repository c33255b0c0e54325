package dev.acp4j.proxies;

import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RequestHop;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.Unstable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Translates paths between a client and an agent that see the same files at other places, such as an agent in a
 * container or in WSL.
 *
 * <pre>{@code
 * Proxy paths = PathMapper.builder().map("/home/me/project", "/workspace").build();
 * Proxy wsl = PathMapper.builder().map("C:\\", "/mnt/c").build();
 * }</pre>
 *
 * <p>All members of the protocol that hold a path, a folder or the address of a file are translated, in both
 * directions: {@code cwd}, {@code additionalDirectories}, {@code path}, {@code oldPath}, {@code uri} and
 * {@code workspaceUri}. Texts are not, nor input and output of tools, {@code _meta}, extensions, messages of MCP,
 * forms, and the commands of MCP servers, which run where the agent is.
 *
 * <p>Of folders inside each other the longer one counts. Folders with a drive or {@code \\server\share} have
 * backslashes, and upper and lower case are the same in them. A request with a path outside of all folders is refused,
 * because it could mean another file on the other side; in notifications and answers such paths pass. Both are
 * reported, each path once. A relative path is outside, as is an address with an encoded separator in a name.
 */
@Unstable
public final class PathMapper {
    private static final Set<String> PATHS = Set.of("cwd", "path", "oldPath");
    private static final Set<String> LISTS = Set.of("additionalDirectories");
    private static final Set<String> ADDRESSES = Set.of("uri", "workspaceUri");
    private static final Set<String> OPAQUE = Set.of("_meta", "rawInput", "rawOutput", "mcpServers");
    private static final int MOST_SAID = 1000;

    private final List<Pair> pairs;
    private final boolean passesOutside;
    private final Consumer<String> onNotice;
    private final Set<String> said = ConcurrentHashMap.newKeySet();

    private record Pair(Folder client, Folder agent) {}

    private PathMapper(Builder builder) {
        pairs = List.copyOf(builder.pairs);
        passesOutside = builder.passesOutside;
        onNotice = builder.onNotice;
    }

    /** Begins a mapper. */
    public static Builder builder() {
        return new Builder();
    }

    private Proxy proxy() {
        Proxy.Builder proxy = Proxy.builder("paths", "1").filter();
        for (Method.Side to : List.of(Method.Side.AGENT, Method.Side.CLIENT)) {
            proxy.onRequests(to, PathMapper::hasPaths, (params, hop) -> request(to, params, hop))
                    .onNotifications(to, PathMapper::hasPaths, (params, hop) -> hop.forward(mapped(params, to, false)));
        }
        return proxy.build();
    }

    private static boolean hasPaths(String method) {
        return !method.startsWith("_") && !method.startsWith("mcp/") && !method.startsWith("elicitation/");
    }

    private Answer<RawJson> request(Method.Side to, RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        Answer<RawJson> answer = hop.forward(mapped(params, to, !passesOutside));
        if (answer.isError()) {
            return answer;
        }
        Method.Side back = to == Method.Side.AGENT ? Method.Side.CLIENT : Method.Side.AGENT;
        return answer.with(mapped(answer.result(), back, false));
    }

    /** Returns a path of the other side; null if it is outside of the folders, which is reported. */
    private @Nullable String path(String path, Method.Side to) {
        Folder came = Folder.ofPath(path);
        // What a relative one means is known to the other side only.
        return came == null ? outside(path) : there(path, came.normalized(), to, Folder::path);
    }

    /** Returns the address of a file on the other side; other addresses stay as they are. */
    private @Nullable String address(String uri, Method.Side to) {
        int end = 0;
        while (end < uri.length() && uri.charAt(end) != '#' && uri.charAt(end) != '?') {
            end++;
        }
        Folder came = Folder.ofAddress(uri.substring(0, end));
        String behind = uri.substring(end);
        if (came == null) {
            return uri;
        }
        return came.isOfPlainNames() ? there(uri, came, to, folder -> folder.address() + behind) : outside(uri);
    }

    private @Nullable String outside(String text) {
        if (said.size() < MOST_SAID && said.add(text)) {
            onNotice.accept(text + " is outside of the folders that both sides have.");
        }
        return null;
    }

    private @Nullable String there(String text, Folder came, Method.Side to, Function<Folder, String> write) {
        Pair best = null;
        for (Pair pair : pairs) {
            boolean isIn = came.isIn(from(pair, to));
            if (isIn && (best == null || from(pair, to).depth() > from(best, to).depth())) {
                best = pair;
            }
        }
        Folder moved =
                best == null ? null : came.moved(from(best, to), to == Method.Side.AGENT ? best.agent : best.client);
        return moved == null ? outside(text) : write.apply(moved);
    }

    private static Folder from(Pair pair, Method.Side to) {
        return to == Method.Side.AGENT ? pair.client : pair.agent;
    }

    // ---- JSON

    /**
     * Returns a value with the paths of the other side; the same object if none differs.
     *
     * @param isRequired whether a path outside of the folders is refused
     */
    private RawJson mapped(RawJson value, Method.Side to, boolean isRequired) {
        JsonWriter out = new JsonWriter(value.length() + 64);
        Walk walk = new Walk(
                path -> orSame(path(path, to), path, isRequired), uri -> orSame(address(uri, to), uri, isRequired));
        return walk.copy(value.reader(), out) ? out.toRawJson() : value;
    }

    private static String orSame(@Nullable String there, String came, boolean isRequired) {
        if (there == null && isRequired) {
            throw RpcError.invalidParams(came + " is outside of the folders that the other side has");
        }
        return there == null ? came : there;
    }

    /**
     * Copies JSON with other paths.
     *
     * @param path returns a path as it is on the other side
     * @param uri the same for addresses
     */
    private record Walk(UnaryOperator<String> path, UnaryOperator<String> uri) {
        /** Copies a value, and returns whether something is different. */
        boolean copy(JsonReader in, JsonWriter out) {
            boolean isChanged = false;
            switch (in.kind()) {
                case OBJECT -> {
                    in.beginObject();
                    out.beginObject();
                    while (in.nextMember()) {
                        String name = in.name();
                        out.name(name);
                        isChanged |= member(name, in, out);
                    }
                    out.endObject();
                }
                case ARRAY -> {
                    in.beginArray();
                    out.beginArray();
                    while (in.nextElement()) {
                        isChanged |= copy(in, out);
                    }
                    out.endArray();
                }
                default -> out.raw(in.raw());
            }
            return isChanged;
        }

        private boolean member(String name, JsonReader in, JsonWriter out) {
            JsonReader.Kind kind = in.kind();
            if (kind == JsonReader.Kind.STRING && PATHS.contains(name)) {
                return string(in, out, path);
            }
            if (kind == JsonReader.Kind.STRING && ADDRESSES.contains(name)) {
                return string(in, out, uri);
            }
            if (kind == JsonReader.Kind.ARRAY && LISTS.contains(name)) {
                boolean isChanged = false;
                in.beginArray();
                out.beginArray();
                while (in.nextElement()) {
                    isChanged |= in.kind() == JsonReader.Kind.STRING ? string(in, out, path) : copy(in, out);
                }
                out.endArray();
                return isChanged;
            }
            if (OPAQUE.contains(name)) {
                out.raw(in.raw());
                return false;
            }
            return copy(in, out);
        }

        private static boolean string(JsonReader in, JsonWriter out, UnaryOperator<String> map) {
            RawJson raw = in.raw();
            String came = raw.reader().string();
            String there = map.apply(came);
            if (there.equals(came)) {
                out.raw(raw);
                return false;
            }
            out.string(there);
            return true;
        }
    }

    /** Builds a mapper. */
    public static final class Builder {
        private final List<Pair> pairs = new ArrayList<>();
        private boolean passesOutside;
        private Consumer<String> onNotice = Notices::log;

        private Builder() {}

        /**
         * Adds a folder that both sides have.
         *
         * @param client where the client has it, absolute: {@code /home/me/x}, {@code C:\x} or {@code \\server\share\x}
         * @param agent where the agent has it
         * @throws IllegalArgumentException when one is not absolute
         */
        public Builder map(String client, String agent) {
            pairs.add(new Pair(folder(client), folder(agent)));
            return this;
        }

        private static Folder folder(String text) {
            Folder folder = Folder.ofPath(text);
            if (folder == null) {
                throw new IllegalArgumentException("expected an absolute folder, got " + text);
            }
            return folder.normalized().withoutEnd();
        }

        /** Passes requests with paths outside of the folders as they are, instead of refusing them. */
        public Builder passOutside() {
            passesOutside = true;
            return this;
        }

        /** Takes what a user should know, a sentence each, such as a path outside of the folders; logged by default. */
        public Builder onNotice(Consumer<String> listener) {
            onNotice = Objects.requireNonNull(listener);
            return this;
        }

        /**
         * Builds the proxy.
         *
         * @throws IllegalStateException without a folder
         */
        public Proxy build() {
            if (pairs.isEmpty()) {
                throw new IllegalStateException("paths are mapped by at least one pair of folders");
            }
            return new PathMapper(this).proxy();
        }
    }
}
