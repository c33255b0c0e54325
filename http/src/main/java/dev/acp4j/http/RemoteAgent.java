package dev.acp4j.http;

import dev.acp4j.rpc.Connector;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Unstable;
import java.io.IOException;
import java.net.PasswordAuthentication;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The way to an agent behind a URL, by Streamable HTTP or WebSocket. Immutable: each setter returns a copy. One of
 * these may be used for many connections.
 *
 * <pre>{@code
 * Client.builder("ask", "1.0")
 *         .connect(Http.to(URI.create("https://agents.example/acp")).bearer(() -> System.getenv("AGENT_TOKEN")));
 * }</pre>
 *
 * <p>What is lost on the way is repaired by the transport: a stream that was cut goes on behind the last message that
 * arrived, if the server can resume; otherwise a new connection is made and the open sessions are resumed or loaded
 * there. A call whose outcome is unknown then fails with an error whose data has the reason {@code outcome_unknown}. A
 * prompt is carried out at most once: it is sent again only if it was certainly not taken, or if the server recognizes
 * what comes twice.
 *
 * <p>If the address is not one of loopback, the answer to {@code initialize} has {@code acp4j/elsewhere} in its
 * {@code _meta}: what this machine serves at addresses of loopback, such as tools of the client, is not offered to an
 * agent that cannot reach it.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/streamable-http-websocket-transport">Streamable HTTP and WebSocket
 *     transport</a>
 */
@Unstable
public final class RemoteAgent implements Connector {
    /** How messages travel. */
    public enum Over {
        /** POST, and a stream of server-sent events for the connection and for each session. */
        EVENTS,
        /** One WebSocket. */
        WEBSOCKET,
        /** A WebSocket if the server has it, otherwise events. */
        AUTO
    }

    /** What becomes of a connection while it is open. */
    public enum State {
        /** The server does not answer; what is sent waits. */
        DOWN,
        /** It goes on: nothing was lost. */
        RESUMED,
        /**
         * A new connection took the place of the old one. Turns that ran were interrupted, and what the agent said
         * meanwhile may be missing.
         */
        RECOVERED
    }

    static final class Settings implements Cloneable {
        final URI endpoint;
        Over over;
        Supplier<Map<String, String>> headers = Map::of;

        /** Hears the header {@code Authorization} of a request that was answered 401. */
        Consumer<@Nullable String> onRefused = refused -> {};

        /** Opens the lines, instead of HTTP; null for HTTP. */
        @Nullable
        Connector line;

        @Nullable
        SSLContext ssl;

        @Nullable
        ProxySelector proxy;

        @Nullable
        PasswordAuthentication proxyCredentials;

        boolean allowsCleartext;
        boolean recovers = true;
        boolean leavesRunning;
        boolean isForwarding;
        Duration patience = Duration.ofMinutes(10);
        Duration silence = Duration.ofSeconds(75);
        Duration connectTime = Duration.ofSeconds(20);
        int messageBytes = Limits.STANDARD.messageBytes();
        Consumer<? super Problem> onProblem = problem -> {};
        Consumer<? super State> onState = state -> {};
        Time time = Time.SYSTEM;
        LongSupplier wallMillis = System::currentTimeMillis;
        DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();

        Settings(URI endpoint, Over over) {
            this.endpoint = endpoint;
            this.over = over;
        }

        /** Whether the agent is on another machine, as far as its address says. */
        boolean isElsewhere() {
            return line != null || !isLoopback(endpoint.getHost());
        }

        @Override
        protected Settings clone() {
            try {
                return (Settings) super.clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }

        boolean isSecure() {
            return endpoint.getScheme().equals("https");
        }

        /**
         * Returns the headers of one request: the user's, whatever the case of their names, so that ours cannot be
         * there twice.
         *
         * @throws HttpFailure when there are none now, or they cannot be sent: nothing was sent, and the next attempt
         *     may succeed. What it says does not contain values of headers
         */
        Map<String, String> userHeaders() throws HttpFailure {
            Map<String, String> found = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            try {
                found.putAll(headers.get());
            } catch (RuntimeException e) {
                String why = "no headers for a request to " + endpoint + ": " + e.getMessage();
                throw new HttpFailure(HttpFailure.Kind.NOT_SENT, why, e);
            }
            HttpRequest.Builder probe = HttpRequest.newBuilder(endpoint);
            for (Map.Entry<String, String> header : found.entrySet()) {
                if (!isSendable(probe, header.getKey(), header.getValue())) {
                    String why = "the header " + shown(header.getKey())
                            + " cannot be sent: expected a name of a header and one line of visible characters";
                    throw new HttpFailure(HttpFailure.Kind.NOT_SENT, why, null);
                }
            }
            return found;
        }

        @SuppressWarnings("CheckReturnValue") // What it builds is not used.
        private static boolean isSendable(HttpRequest.Builder probe, String name, String value) {
            try {
                probe.setHeader(name, value);
                return true;
            } catch (IllegalArgumentException | NullPointerException e) {
                // The text of the exception contains the value, which may be a secret.
                return false;
            }
        }

        private static String shown(String name) {
            return name.matches("[A-Za-z0-9-]{1,64}") ? name : "(a name of " + name.length() + " characters)";
        }

        /** Reports a problem. A listener that fails is a fault of the program and harms no connection. */
        void report(String detail, @Nullable Throwable cause) {
            try {
                onProblem.accept(new Problem(Problem.Kind.TRANSPORT, detail, cause));
            } catch (RuntimeException e) {
                System.getLogger("dev.acp4j.http").log(System.Logger.Level.WARNING, "onProblem failed", e);
            }
        }

        /** Reports a state; a listener that fails is a problem. */
        void report(State state) {
            try {
                onState.accept(state);
            } catch (RuntimeException e) {
                report("onState failed on " + state + ": " + e, e);
            }
        }
    }

    private final Settings settings;

    private RemoteAgent(Settings settings) {
        this.settings = settings;
    }

    static RemoteAgent at(URI uri) {
        String scheme = Optional.ofNullable(uri.getScheme()).orElse("").toLowerCase(Locale.ROOT);
        boolean isSocket = scheme.equals("ws") || scheme.equals("wss");
        if (!isSocket && !scheme.equals("http") && !scheme.equals("https")) {
            throw new IllegalArgumentException(
                    "the address of an agent begins with https, http, wss or ws: " + withoutSecrets(uri));
        }
        if (uri.getHost() == null) {
            throw new IllegalArgumentException("the address of an agent has no host: " + withoutSecrets(uri));
        }
        if (uri.getUserInfo() != null || uri.getQuery() != null || uri.getFragment() != null) {
            throw new IllegalArgumentException(
                    "the address of an agent has no user, query or fragment: credentials go into headers, see bearer(…)");
        }
        String path = uri.getPath();
        String endpoint = (scheme.equals("https") || scheme.equals("wss") ? "https" : "http")
                + "://"
                + uri.getRawAuthority()
                + (path == null || path.isEmpty() || path.equals("/") ? Wire.PATH : uri.getRawPath());
        return new RemoteAgent(new Settings(URI.create(endpoint), isSocket ? Over.WEBSOCKET : Over.EVENTS));
    }

    static RemoteAgent at(URI uri, Connector line) {
        Settings settings = new Settings(uri, Over.EVENTS);
        settings.line = Objects.requireNonNull(line);
        return new RemoteAgent(settings);
    }

    private static String withoutSecrets(URI uri) {
        return uri.getScheme() + "://" + (uri.getHost() == null ? "" : uri.getHost());
    }

    private RemoteAgent with(Consumer<Settings> change) {
        Settings copy = settings.clone();
        change.accept(copy);
        return new RemoteAgent(copy);
    }

    /** Returns the endpoint, with the scheme {@code http} or {@code https}. */
    public URI endpoint() {
        return settings.endpoint;
    }

    /** Sets how messages travel. Without it the scheme decides: events for {@code http} and {@code https}. */
    public RemoteAgent over(Over over) {
        return with(copy -> copy.over = Objects.requireNonNull(over));
    }

    /**
     * Sends a bearer token with each request.
     *
     * @param token returns the token; called for each request, so that it may be renewed. White space around it is not
     *     sent. While it throws, nothing is sent, as in an outage
     */
    public RemoteAgent bearer(Supplier<String> token) {
        Objects.requireNonNull(token);
        return bearer(token, refused -> {});
    }

    /**
     * Sends a bearer token with each request, for tokens that cost something to get, such as the output of a command.
     *
     * @param token returns the token; called for the first request, and again when the server has refused the token
     *     that it returned last
     */
    public RemoteAgent bearerUntilRefused(Supplier<String> token) {
        KeptToken kept = new KeptToken(Objects.requireNonNull(token));
        return bearer(kept, kept::refused);
    }

    private RemoteAgent bearer(Supplier<String> token, Consumer<@Nullable String> refused) {
        return headers(() -> {
                    String now = token.get();
                    if (now == null || now.isBlank()) {
                        throw new IllegalStateException("the token is " + (now == null ? "null" : "empty"));
                    }
                    return Map.of("Authorization", "Bearer " + now.strip());
                })
                .with(copy -> copy.onRefused = refused);
    }

    /**
     * Sends headers with each request; they replace those set before.
     *
     * @param headers returns them; called for each request, and once more when the server refuses the credential. It
     *     may block, and is called from several threads. While it throws, nothing is sent, as in an outage
     */
    public RemoteAgent headers(Supplier<Map<String, String>> headers) {
        return with(copy -> {
            copy.headers = Objects.requireNonNull(headers);
            copy.onRefused = refused -> {};
        });
    }

    /**
     * Sends one more header with each request, beside those set before.
     *
     * @param value returns its value; called for each request, as {@link #headers(Supplier)} says
     */
    public RemoteAgent header(String name, Supplier<String> value) {
        Objects.requireNonNull(name);
        Objects.requireNonNull(value);
        return with(copy -> {
            Supplier<Map<String, String>> others = copy.headers;
            copy.headers = () -> {
                Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
                all.putAll(others.get());
                all.put(name, value.get());
                return all;
            };
        });
    }

    /** Uses these certificates, for servers that no public authority has signed, or that ask for one of the client. */
    public RemoteAgent ssl(SSLContext context) {
        return with(copy -> copy.ssl = Objects.requireNonNull(context));
    }

    /**
     * Trusts one certificate and no other, regardless of its issuer and of the name in it: for a server that signs its
     * own.
     *
     * @param fingerprint the SHA-256 fingerprint of the certificate in hexadecimal, with or without colons, as
     *     {@code openssl x509 -fingerprint -sha256} prints it
     * @throws IllegalArgumentException when it is no such fingerprint
     */
    public RemoteAgent pin(String fingerprint) {
        return ssl(PinnedCertificate.trusting(fingerprint));
    }

    /**
     * Goes through proxies; without it that of the JVM is used, if there is one. Loopback is always reached directly.
     */
    public RemoteAgent proxy(ProxySelector selector) {
        return with(copy -> copy.proxy = Objects.requireNonNull(selector));
    }

    /**
     * Sends a name and password to proxies that ask for them. The JVM sends them to a proxy on the way to {@code https}
     * only if the system property {@code jdk.http.auth.tunneling.disabledSchemes} is empty before the first connection.
     */
    public RemoteAgent proxyCredentials(String user, String password) {
        return with(copy -> copy.proxyCredentials = new PasswordAuthentication(user, password.toCharArray()));
    }

    /**
     * Allows {@code http} and {@code ws} to other machines, where everybody on the way reads and changes what is sent.
     */
    public RemoteAgent allowCleartext() {
        return with(copy -> copy.allowsCleartext = true);
    }

    /**
     * Sets whether a new connection takes the place of one that the server has lost; true without it. Otherwise the
     * connection ends.
     */
    public RemoteAgent recovers(boolean recovers) {
        return with(copy -> copy.recovers = recovers);
    }

    /**
     * Sets whether the end of the transport leaves the connection at the server, whose turns go on until the server's
     * grace is over; false without it: then the end of this side ends it at once. Has no effect on lines of another
     * kind that are not used like a WebSocket: what is behind them ends with them.
     */
    public RemoteAgent leavesRunning(boolean leaves) {
        return with(copy -> copy.leavesRunning = leaves);
    }

    /**
     * Takes out of messages what belongs to the connection with the server: positions in streams, the state of turns
     * after a cut, and the offer to resume. For a program that passes messages on to a client of its own, which must
     * not take them for those of its connection.
     */
    public RemoteAgent forwarding() {
        return with(copy -> copy.isForwarding = true);
    }

    /** Sets how long an outage may last before the connection ends; ten minutes without it. */
    public RemoteAgent patience(Duration patience) {
        return with(copy -> copy.patience = positive(patience));
    }

    /**
     * Sets after how long without any byte a stream counts as dead, for servers that do not say how often they give a
     * sign of life; 75 seconds without it, five times what is usual.
     */
    public RemoteAgent silence(Duration silence) {
        return with(copy -> copy.silence = positive(silence));
    }

    /** Sets how long making a connection may take; 20 seconds without it. */
    public RemoteAgent connectTime(Duration time) {
        return with(copy -> copy.connectTime = positive(time));
    }

    /** Sets the most bytes that a message may have; 64 MiB without it. */
    public RemoteAgent messageBytes(int bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("a message must be allowed some bytes, not " + bytes);
        }
        return with(copy -> copy.messageBytes = bytes);
    }

    /** Reports what went wrong and did not end the connection. Called on threads of the transport; must not block. */
    public RemoteAgent onProblem(Consumer<? super Problem> listener) {
        return with(copy -> copy.onProblem = Objects.requireNonNull(listener));
    }

    /** Reports outages and their end. Called on threads of the transport; must not block. */
    public RemoteAgent onState(Consumer<? super State> listener) {
        return with(copy -> copy.onState = Objects.requireNonNull(listener));
    }

    /**
     * Returns why a connection has ended, as a word for programs: {@code not_allowed} when the server refuses the
     * credential, {@code login_required} when it names where to log in, {@code tls} when a certificate is not trusted,
     * {@code outcome_unknown} when something may have been done all the same, otherwise {@code transport_failed}. A
     * call that fails for such a reason has the same word as {@code reason} in the data of its error.
     *
     * @param failure what has ended the connection, or what was caused by that
     * @return the reason; empty if it is no failure of a remote agent
     */
    public static Optional<String> reason(@Nullable Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof HttpFailure why) {
                return Optional.of(why.reason());
            }
        }
        return Optional.empty();
    }

    /**
     * Goes by another clock, for tests.
     *
     * @param wallMillis the time of day, by which a machine that slept is noticed
     */
    RemoteAgent time(Time time, LongSupplier wallMillis, DoubleSupplier random) {
        return with(copy -> {
            copy.time = time;
            copy.wallMillis = wallMillis;
            copy.random = random;
        });
    }

    private static Duration positive(Duration duration) {
        if (duration.isZero() || duration.isNegative()) {
            throw new IllegalArgumentException("a duration must be positive, not " + duration);
        }
        return duration;
    }

    /**
     * Opens a transport. The server is asked when {@code initialize} is sent; what goes wrong until it has answered is
     * the error that {@code initialize} is answered with.
     *
     * @throws IOException when the address is that of another machine and not encrypted
     */
    @Override
    public Transport open() throws IOException {
        boolean isHttp = settings.line == null;
        if (isHttp && !settings.isSecure() && !settings.allowsCleartext && !isLoopback(settings.endpoint.getHost())) {
            throw new IOException(settings.endpoint.getHost()
                    + " is another machine, and http and ws are not encrypted: use https or wss, or allowCleartext()");
        }
        return new RemoteTransport(settings);
    }

    /**
     * Returns the headers that a request would carry now, those with the credential among them. Blocks as long as what
     * makes them.
     *
     * @throws IOException when there are none now, or they cannot be sent; the message contains no values
     */
    public Map<String, String> headers() throws IOException {
        return settings.userHeaders();
    }

    /**
     * Returns a new HTTP client with the certificates, proxies and time limits of this, for requests beside the
     * protocol, such as those of a diagnosis. It follows no redirects, and sends no headers by itself. The caller
     * closes it.
     *
     * @throws IOException when the system has no room for one
     */
    public HttpClient client(HttpClient.Version http) throws IOException {
        return new Requests(settings).newClient(http);
    }

    static boolean isLoopback(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        return name.equals("localhost")
                || name.equals("[::1]")
                || name.equals("::1")
                || name.matches("127(\\.\\d{1,3}){3}");
    }

    @Override
    public String toString() {
        return settings.endpoint + " (" + settings.over + ")";
    }
}
