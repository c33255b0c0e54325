package dev.acp4j.http;

import dev.acp4j.rpc.Acceptor;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Unstable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A server for agents: where it listens, whom it lets in, and its limits. Immutable: each setter returns a copy. One
 * configuration may be started more than once, at port 0.
 *
 * <p>As it is, it listens on this machine only, and lets in who knows a random token; see {@link #tokens}.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/streamable-http-websocket-transport">Streamable HTTP and WebSocket
 *     transport</a>
 */
@Unstable
public final class HttpServer implements Acceptor {
    private static final class Values implements Cloneable {
        int port;
        String address = "127.0.0.1";
        String path = Wire.PATH;

        @Nullable
        Path socket;

        String livePath = "";
        String readyPath = "";
        Pages pages = request -> Optional.empty();

        @Nullable
        Authenticator authenticator;

        Set<String> hosts = Set.of();
        Set<String> origins = Set.of();
        Set<InetAddress> proxies = Set.of();
        boolean proxyProtocol;

        @Nullable
        Tls tls;

        ServerLimits limits = ServerLimits.STANDARD;
        boolean durable = true;

        @Nullable
        StreamStore store;

        boolean strict;
        boolean webSocket = true;
        Duration drain = Duration.ofSeconds(10);
        Consumer<? super RunningServer> onStart = HttpServer::announce;
        Consumer<? super ServerEvent> onEvent = event -> {};
        Time time = Time.SYSTEM;

        Values copy() {
            try {
                return (Values) clone();
            } catch (CloneNotSupportedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private final Values values;

    HttpServer(int port) {
        if (port < 0 || port > 65535) {
            throw new IllegalArgumentException("a port is 0 to 65535, not " + port);
        }
        values = new Values();
        values.port = port;
    }

    private HttpServer(Values values) {
        this.values = values;
    }

    private HttpServer with(Consumer<Values> change) {
        Values copy = values.copy();
        change.accept(copy);
        return new HttpServer(copy);
    }

    /**
     * Returns a copy that listens at another address; {@code 127.0.0.1} by default. Beyond this machine, a server needs
     * {@link #tls} or {@link #trustedProxies}, an authenticator, and {@link #allowedHosts}.
     */
    public HttpServer address(String address) {
        return with(copy -> copy.address = address);
    }

    /**
     * Returns a copy that listens at a Unix domain socket, instead of an address and a port: for clients whose lines
     * end on this machine, such as those of ssh, which {@link Http#to(java.net.URI, dev.acp4j.rpc.Connector)} with
     * {@link RemoteAgent.Over#WEBSOCKET} is the other end of. One JSON message per line of text. Every process that can
     * open the file can use the agent, so it belongs into a folder that only its user can read. The settings of HTTP,
     * those of authentication among them, have no effect.
     *
     * @param file the socket; one that a server has left behind is replaced
     */
    public HttpServer socket(Path file) {
        return with(copy -> copy.socket = file);
    }

    /** Returns a copy with another path of the endpoint; {@code /acp} by default. */
    public HttpServer path(String path) {
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("a path begins with /, got " + path);
        }
        return with(copy -> copy.path = path);
    }

    /**
     * Returns a copy that answers probes at these paths, without a credential, whatever name they call the server by:
     * GET only. By default there are none.
     *
     * @param live answers 200 as long as the process answers; empty for no such path
     * @param ready answers 200, or 503 while the server stops or has as many connections as it may have; empty for no
     *     such path
     */
    public HttpServer probePaths(String live, String ready) {
        return with(copy -> {
            copy.livePath = live;
            copy.readyPath = ready;
        });
    }

    /**
     * Returns a copy that answers requests for other paths than the endpoint and {@link #probePaths} by these pages.
     */
    public HttpServer pages(Pages pages) {
        return with(copy -> copy.pages = pages);
    }

    /**
     * Returns a copy that lets in who has one of these tokens. Without it and {@link #authenticator}, a server makes a
     * random token when it starts, which {@link RunningServer#token()} returns.
     */
    public HttpServer tokens(BearerTokens tokens) {
        return authenticator(tokens);
    }

    /** Returns a copy that asks this authenticator about every request. */
    public HttpServer authenticator(Authenticator authenticator) {
        return with(copy -> copy.authenticator = authenticator);
    }

    /**
     * Returns a copy that accepts these names in the header {@code Host}, with a port unless it is the standard one.
     * Other requests are refused, so that no name of a foreign domain leads to this server. On this machine the server
     * knows its names.
     */
    public HttpServer allowedHosts(String... hosts) {
        Set<String> all =
                Arrays.stream(hosts).map(host -> host.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
        return with(copy -> copy.hosts = Set.copyOf(all));
    }

    /**
     * Returns a copy that web pages of these origins may use, such as {@code https://example.org}; {@code *} stands for
     * all. By default, no page may.
     */
    public HttpServer allowedOrigins(String... origins) {
        Set<String> all = Arrays.stream(origins).map(Guard::origin).collect(Collectors.toSet());
        return with(copy -> copy.origins = Set.copyOf(all));
    }

    /**
     * Returns a copy that believes these addresses what they say of the client: {@code Forwarded} and
     * {@code X-Forwarded-*} count from them only. They stand for the TLS that the server itself does not have: beyond
     * this machine it answers only what came to such a proxy by TLS, which the proxy says in {@code X-Forwarded-Proto}
     * or {@code Forwarded}.
     *
     * <p>Of the addresses in {@code X-Forwarded-For}, or in {@code Forwarded} if that is not there, the last one counts
     * that is no trusted proxy. A proxy must replace the headers of clients, or append to that one and remove the
     * others.
     */
    public HttpServer trustedProxies(InetAddress... addresses) {
        return with(copy -> copy.proxies = Set.of(addresses));
    }

    /**
     * Returns a copy whose {@link #trustedProxies} begin each connection with a header of the PROXY protocol, version 1
     * or 2, which says who the client is: for proxies that pass bytes on, and TLS with them. Connections of these
     * addresses without it are closed; from others it does not count.
     */
    public HttpServer proxyProtocol(boolean expected) {
        return with(copy -> copy.proxyProtocol = expected);
    }

    /** Returns a copy that uses TLS. */
    public HttpServer tls(Tls tls) {
        return with(copy -> copy.tls = tls);
    }

    /** Returns a copy with other limits. */
    public HttpServer limits(ServerLimits limits) {
        return with(copy -> copy.limits = limits);
    }

    /**
     * Returns a copy that keeps what it has sent for a while, so that a client goes on where its stream was cut; that
     * is the default. Otherwise what was under way when a stream ends is lost.
     */
    public HttpServer durable(boolean durable) {
        return with(copy -> copy.durable = durable);
    }

    /**
     * Returns a copy that keeps in a store what clients have to get, so that they get it after a restart, too. By
     * default it is lost with the process, and clients begin anew. Needs {@link #durable} streams.
     */
    public HttpServer store(StreamStore store) {
        return with(copy -> copy.store = store);
    }

    /**
     * Returns a copy that answers 404 for the stream of a session that it does not know, as the draft demands. By
     * default such a stream waits for its session, as the draft's own way to resume a session needs.
     */
    public HttpServer strict(boolean strict) {
        return with(copy -> copy.strict = strict);
    }

    /** Returns a copy with or without WebSocket; with it by default. */
    public HttpServer webSocket(boolean offered) {
        return with(copy -> copy.webSocket = offered);
    }

    /** Returns a copy that gives running turns another time when it is closed; 10 s by default. */
    public HttpServer drainTime(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("a time must not be negative, got " + time);
        }
        return with(copy -> copy.drain = time);
    }

    /**
     * Returns a copy that hands over the server once it listens, for {@link #accept}. By default the address and, if it
     * was made here, the token are written to the {@link System.Logger} {@code dev.acp4j.http}.
     */
    public HttpServer onStart(Consumer<? super RunningServer> action) {
        return with(copy -> copy.onStart = action);
    }

    /**
     * Returns a copy that reports what happens, on the thread where it happens; it must not block, and what it throws
     * is logged.
     */
    public HttpServer onEvent(Consumer<? super ServerEvent> listener) {
        return with(copy -> copy.onEvent = listener);
    }

    HttpServer time(Time time) {
        return with(copy -> copy.time = time);
    }

    private static void announce(RunningServer server) {
        String token = server.token().map(made -> ", token " + made).orElse("");
        System.getLogger("dev.acp4j.http")
                .log(System.Logger.Level.INFO, "an agent is served at " + server.uri() + token);
    }

    /**
     * Listens in the background.
     *
     * @param agents takes the transport of each client, closes it in the end, and returns soon; called by several
     *     threads at once. What it throws refuses the client; see {@link UnavailableException}
     * @return the server, which the caller closes
     * @throws IOException when it cannot listen; the message names the address and the reason
     * @throws IllegalStateException when it would not be safe to listen there; the message says what is missing
     */
    public RunningServer start(Consumer<? super RemoteClient> agents) throws IOException {
        if (values.socket != null) {
            check();
            return RunningServer.startAt(values.socket, this, agents, new SecureRandom());
        }
        InetAddress bound = bound();
        checkSafe(bound);
        check();
        SecureRandom random = new SecureRandom();
        String token = "";
        Authenticator authenticator = values.authenticator;
        if (authenticator == null) {
            token = newToken(random);
            authenticator = BearerTokens.of("owner", token);
        }
        return RunningServer.start(this, bound, authenticator, token, agents, random);
    }

    private static String newToken(SecureRandom random) {
        byte[] bytes = new byte[32];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private InetAddress bound() throws IOException {
        try {
            return InetAddress.getByName(values.address);
        } catch (UnknownHostException e) {
            throw new IOException("cannot listen at " + values.address + ": there is no such address", e);
        }
    }

    /** Checks what cannot be known when a setter is called. */
    void check() {
        if (values.store != null && !values.durable) {
            throw new IllegalStateException("store(…) needs durable streams: leave out durable(false)");
        }
    }

    private void checkSafe(InetAddress bound) {
        if (bound.isLoopbackAddress()) {
            return;
        }
        String where = "a server that listens beyond this machine, at " + values.address + ", needs ";
        if (values.tls == null && values.proxies.isEmpty()) {
            throw new IllegalStateException(
                    where + "TLS, or the address of a proxy before it that has TLS: tls(…) or trustedProxies(…)");
        }
        if (Authenticator.none().equals(values.authenticator)) {
            throw new IllegalStateException(where + "authentication: tokens(…) or authenticator(…)");
        }
        if (values.hosts.isEmpty()) {
            throw new IllegalStateException(where + "the names by which clients reach it: allowedHosts(…)");
        }
    }

    /** Listens until the thread is interrupted; see {@link Acceptor#accept}. */
    @Override
    public void accept(Consumer<? super Transport> connections) throws IOException, InterruptedException {
        RunningServer server = start(connections);
        try {
            values.onStart.accept(server);
            server.awaitClosed();
        } finally {
            server.close();
        }
    }

    /** Returns the names by which clients may call a server at a port. */
    Set<String> hosts(InetAddress bound, int port) {
        Set<String> names = new TreeSet<>(values.hosts);
        if (bound.isLoopbackAddress() && values.hosts.isEmpty()) {
            for (String name : new String[] {"localhost", "127.0.0.1", "[::1]"}) {
                names.add(name + ":" + port);
                if (port == (values.tls == null ? 80 : 443)) {
                    names.add(name);
                }
            }
        }
        return names;
    }

    /** Reports an event; a listener that fails stops nothing. */
    void tell(ServerEvent event) {
        try {
            values.onEvent.accept(event);
        } catch (RuntimeException e) {
            System.getLogger("dev.acp4j.http")
                    .log(System.Logger.Level.WARNING, "a listener for events of the server has failed", e);
        }
    }

    int port() {
        return values.port;
    }

    String path() {
        return values.path;
    }

    String livePath() {
        return values.livePath;
    }

    String readyPath() {
        return values.readyPath;
    }

    Set<String> allowedHosts() {
        return values.hosts;
    }

    @Nullable
    Authenticator authenticator() {
        return values.authenticator;
    }

    Pages pages() {
        return values.pages;
    }

    Set<String> origins() {
        return values.origins;
    }

    Set<InetAddress> proxies() {
        return values.proxies;
    }

    boolean hasProxyProtocol() {
        return values.proxyProtocol;
    }

    @Nullable
    Tls tls() {
        return values.tls;
    }

    ServerLimits limits() {
        return values.limits;
    }

    boolean isDurable() {
        return values.durable;
    }

    @Nullable
    StreamStore store() {
        return values.store;
    }

    boolean isStrict() {
        return values.strict;
    }

    boolean hasWebSocket() {
        return values.webSocket;
    }

    Duration drainTime() {
        return values.drain;
    }

    Time time() {
        return values.time;
    }
}
