package dev.acp4j.cli.serve;

import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.StateFolder;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.http.Authenticator;
import dev.acp4j.http.BearerTokens;
import dev.acp4j.http.CertificateNames;
import dev.acp4j.http.Http;
import dev.acp4j.http.HttpServer;
import dev.acp4j.http.OidcTokens;
import dev.acp4j.http.Principal;
import dev.acp4j.http.ServerLimits;
import dev.acp4j.http.StreamStore;
import dev.acp4j.http.Tls;
import dev.acp4j.http.gateway.Gateway;
import dev.acp4j.http.gateway.GatewayLimits;
import dev.acp4j.http.gateway.PrincipalFolders;
import dev.acp4j.http.gateway.Webhook;
import dev.acp4j.process.Launch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes a server and a gateway of options, and says what is wrong with them. */
final class Serving {
    private static final String PRINCIPAL = "{principal}";
    private static final String ROOT = "{root}";
    private static final int LAST_PORT = 65_535;

    /** What has no effect at a Unix domain socket. */
    private static final List<String> OF_PORT = List.of(
            "--port",
            "--listen",
            "--host",
            "--origin",
            "--trusted-proxy",
            "--proxy-protocol",
            "--tls-certificate",
            "--tls-key",
            "--tls-self-signed",
            "--client-ca",
            "--oidc",
            "--audience",
            "--oidc-user",
            "--tokens",
            "--session-owners",
            "--connections-per-address",
            "--webhook-link");

    private final ServeOptions options;
    private final Set<String> given;
    private final Launch agent;
    private final boolean makesFiles;
    private Path tokenFile = Path.of("");
    private String pin = "";

    /**
     * @param given the names of the options that were given, on the command line or in the file
     * @param agent the agent, with placeholders
     * @param makesFiles whether files and folders are made that are missing; not for a check
     */
    Serving(ServeOptions options, Set<String> given, Launch agent, boolean makesFiles) {
        this.options = options;
        this.given = given;
        this.agent = withEnvironment(agent);
        this.makesFiles = makesFiles;
        requireRanges();
        require(List.of("connection", "user").contains(options.per), "--per connection or user", options.per);
        require(List.of("text", "json").contains(options.log), "--log text or json", options.log);
        if (options.prestart > 0 && (options.root != null || hasPlaceholder())) {
            throw new UsageException(
                    "--prestart cannot be combined with --root, {principal} or {root}: an agent that is "
                            + "started before belongs to nobody");
        }
        if (options.root == null && agent.arguments().stream().anyMatch(word -> word.contains(ROOT))) {
            throw new UsageException("{root} in the command needs --root");
        }
    }

    private static void require(boolean fits, String expected, String got) {
        if (!fits) {
            throw new UsageException("expected " + expected + ", got " + SafeText.line(got));
        }
    }

    /** The server and the gateway refuse other numbers, too, but do not know the options. */
    private void requireRanges() {
        requireRange("--port", options.port, 0, LAST_PORT);
        requireRange("--metrics-port", options.metricsPort, 0, LAST_PORT);
        requireRange("--prestart", options.prestart, 0, Long.MAX_VALUE);
        requireRange("--delete-unused", options.deleteUnused, 0, Long.MAX_VALUE);
        requireRange("--turns-per-day", options.turnsPerDay, 0, Long.MAX_VALUE);
        requireRange("--bytes-per-second", options.bytesPerSecond, 0, Long.MAX_VALUE);
        requireRange("--connections", options.connections, 1, Long.MAX_VALUE);
        requireRange("--connections-per-user", options.connectionsPerUser, 1, Long.MAX_VALUE);
        requireRange("--connections-per-address", options.connectionsPerAddress, 1, Long.MAX_VALUE);
        requireRange("--processes", options.processes, 1, Long.MAX_VALUE);
        requireRange("--processes-per-user", options.processesPerUser, 1, Long.MAX_VALUE);
        requireRange("--starts-per-minute", options.startsPerMinute, 1, Long.MAX_VALUE);
        requireRange("--sessions-per-user", options.sessionsPerUser, 1, Long.MAX_VALUE);
        requireRange("--requests-per-minute", options.requestsPerMinute, 1, Long.MAX_VALUE);
        requireRange("--stored-bytes-per-user", options.storedBytesPerUser, 1, Long.MAX_VALUE);
        requireRange("--queued-bytes", options.queuedBytes, 1, Long.MAX_VALUE);
        requireRange("--message-bytes", options.messageBytes, 1, Long.MAX_VALUE);
    }

    private static void requireRange(String option, @Nullable Number value, long least, long most) {
        if (value != null && (value.longValue() < least || value.longValue() > most)) {
            throw new UsageException("expected " + option + " " + least
                    + (most == Long.MAX_VALUE ? " or more" : " to " + most) + ", got " + value);
        }
    }

    private boolean hasPlaceholder() {
        return agent.arguments().stream().anyMatch(word -> word.contains(PRINCIPAL) || word.contains(ROOT));
    }

    private Launch withEnvironment(Launch launch) {
        Launch changed = launch;
        for (String variable : options.environment) {
            int equals = variable.indexOf('=');
            if (equals == 0) {
                throw new UsageException(
                        "expected --env NAME or --env NAME=VALUE, got --env " + SafeText.line(variable));
            }
            changed = equals < 0
                    ? changed.inherit(variable)
                    : changed.env(variable.substring(0, equals), variable.substring(equals + 1));
        }
        return changed;
    }

    ServeOptions options() {
        return options;
    }

    Launch agent() {
        return agent;
    }

    /** Returns the file of the tokens, once the server was made; empty when there is none. */
    Path tokenFile() {
        return tokenFile;
    }

    /** Returns a folder that only the user can use. */
    private Path folderOfUser(Path folder) throws IOException {
        return makesFiles || Files.exists(folder) ? StateFolder.createForUser(folder) : folder;
    }

    private Path ownFolder() throws IOException {
        return folderOfUser(StateFolder.path().resolve("serve"));
    }

    HttpServer server() throws InterruptedException {
        try {
            if (options.socket != null) {
                return atSocket(options.socket);
            }
            requireSafe();
            HttpServer server = Http.on(options.port)
                    .address(options.listen)
                    .probePaths("/health", "/ready")
                    .authenticator(authenticator())
                    .allowedOrigins(options.origins.toArray(String[]::new))
                    .drainTime(options.drain)
                    .limits(limits());
            if (!options.hosts.isEmpty()) {
                server = server.allowedHosts(options.hosts.toArray(String[]::new));
            }
            Tls tls = tls();
            if (tls != null) {
                server = server.tls(tls);
            }
            if (options.store != null) {
                server = server.store(StreamStore.in(options.store));
            }
            if (!options.trustedProxies.isEmpty()) {
                server = server.trustedProxies(proxies()).proxyProtocol(options.proxyProtocol);
            }
            return server;
        } catch (IOException e) {
            throw new UsageException(SafeText.line(IoProblem.text(e)));
        } catch (IllegalArgumentException e) {
            throw new UsageException(SafeText.line(String.valueOf(e.getMessage())));
        }
    }

    private HttpServer atSocket(Path socket) throws IOException {
        for (String name : OF_PORT) {
            if (given.contains(name)) {
                throw new UsageException(
                        name + " cannot be combined with --socket, which has no HTTP, and whose only user is you");
            }
        }
        Path absolute = socket.toAbsolutePath();
        Path unused = folderOfUser(absolute.resolveSibling(""));
        HttpServer server = Http.on(0).socket(absolute).drainTime(options.drain).limits(limits());
        return options.store == null ? server : server.store(StreamStore.in(options.store));
    }

    private @Nullable Tls tls() throws IOException, InterruptedException {
        Tls tls = null;
        if (options.tlsSelfSigned) {
            SelfSigned own = SelfSigned.in(ownFolder(), makesFiles);
            pin = own.pin();
            tls = Tls.of(own.keys(), SelfSigned.PASSWORD);
        } else if (options.tlsCertificate != null && options.tlsKey != null) {
            tls = Tls.pem(options.tlsCertificate, options.tlsKey);
        }
        return tls == null || options.clientCa == null
                ? tls
                : tls.clientCertificates(options.clientCa, options.tokens == null && options.oidc == null);
    }

    private ServerLimits limits() {
        ServerLimits limits = options.bytesPerSecond == 0
                ? ServerLimits.STANDARD
                : ServerLimits.STANDARD.withBytesPerSecond(options.bytesPerSecond);
        limits = options.connectionsPerAddress == null
                ? limits
                : limits.withConnectionsOfAddress(options.connectionsPerAddress);
        limits = options.storedBytesPerUser == null
                ? limits
                : limits.withRetainedBytesOfPrincipal(options.storedBytesPerUser);
        limits = options.queuedBytes == null ? limits : limits.withQueuedBytesInAll(options.queuedBytes);
        return limits.withConnections(options.connections, options.connectionsPerUser)
                .withMessageBytes(options.messageBytes)
                .withRequestsPerMinute(options.requestsPerMinute)
                .withGrace(options.grace);
    }

    /** The server refuses these, too, in other words. */
    private void requireSafe() throws UnknownHostException {
        if ((options.tlsCertificate == null) != (options.tlsKey == null)) {
            throw new UsageException("--tls-certificate and --tls-key belong together");
        }
        boolean hasTls = options.tlsCertificate != null || options.tlsSelfSigned;
        if (options.tlsCertificate != null && options.tlsSelfSigned) {
            throw new UsageException("--tls-certificate and --tls-self-signed cannot be combined");
        }
        if (options.clientCa != null && !hasTls) {
            throw new UsageException("--client-ca needs TLS: clients show certificates to this server only");
        }
        if (options.sessionOwners != null && isOwnersOnly()) {
            throw new UsageException(
                    "--session-owners needs --tokens, --oidc or --client-ca: without them you are the only user");
        }
        if (options.proxyProtocol && options.trustedProxies.isEmpty()) {
            throw new UsageException("--proxy-protocol needs --trusted-proxy: its header counts from there only");
        }
        if (InetAddress.getByName(options.listen).isLoopbackAddress()) {
            return;
        }
        String where =
                "--listen " + SafeText.line(options.listen) + " is reached from beyond this machine, which needs ";
        if (!hasTls && options.trustedProxies.isEmpty()) {
            throw new UsageException(
                    where + "--tls-certificate and --tls-key, or --trusted-proxy with the address of a "
                            + "proxy that has TLS");
        }
        if (options.hosts.isEmpty()) {
            throw new UsageException(where + "--host with the name by which clients reach it");
        }
    }

    private Authenticator authenticator() throws IOException {
        Authenticator tokens = signedTokens();
        if (tokens == null && options.tokens != null) {
            tokenFile = options.tokens.toAbsolutePath();
            tokens = BearerTokens.read(options.tokens);
        }
        if (options.clientCa != null) {
            return tokens == null ? CertificateNames.only() : CertificateNames.orElse(tokens);
        }
        if (tokens != null) {
            return tokens;
        }
        TokenFile own = TokenFile.in(ownFolder(), makesFiles);
        tokenFile = own.path();
        return BearerTokens.of("owner", own.token());
    }

    private @Nullable Authenticator signedTokens() {
        if (options.oidc == null) {
            if (!options.audience.isEmpty()) {
                throw new UsageException("--audience needs --oidc with the issuer of tokens");
            }
            return null;
        }
        if (options.tokens != null) {
            throw new UsageException(
                    "--tokens and --oidc cannot be combined: a name in the file could be that of a user");
        }
        if (options.audience.isBlank()) {
            throw new UsageException("--oidc needs --audience: tokens for other services would be accepted");
        }
        return OidcTokens.of(options.oidc, options.audience).principalFrom(options.oidcUser);
    }

    /** Returns whether the only user is the one who has started the server. */
    boolean isOwnersOnly() {
        return options.tokens == null && options.oidc == null && options.clientCa == null;
    }

    /** Returns the fingerprint of a certificate that signs itself, once the server was made; empty for another one. */
    String pin() {
        return pin;
    }

    private InetAddress[] proxies() throws UnknownHostException {
        InetAddress[] proxies = new InetAddress[options.trustedProxies.size()];
        for (int i = 0; i < proxies.length; i++) {
            proxies[i] = InetAddress.getByName(options.trustedProxies.get(i));
        }
        return proxies;
    }

    /** Returns the gateway to be built, which opens the file that says whose sessions are whose. */
    Gateway.Builder gateway() {
        try {
            return hosting();
        } catch (IOException e) {
            throw new UsageException(SafeText.line(IoProblem.text(e)));
        } catch (IllegalArgumentException e) {
            throw new UsageException(SafeText.line(String.valueOf(e.getMessage())));
        }
    }

    private Gateway.Builder hosting() throws IOException {
        PrincipalFolders folders = options.root == null ? null : PrincipalFolders.in(options.root);
        Gateway.Builder gateway = (options.prestart > 0 ? Gateway.builder(agent) : Gateway.builder(agentOf(folders)))
                .prestarted(options.prestart)
                .limits(GatewayLimits.STANDARD
                        .withProcesses(options.processes, options.processesPerUser, options.startsPerMinute)
                        .withSessions(options.sessionsPerUser)
                        .withTurnsPerDay(options.turnsPerDay)
                        .withTimes(options.idle, options.questionTime));
        if (options.per.equals("user")) {
            gateway.perUser();
        }
        if (folders != null) {
            gateway.roots(folders);
        }
        if (options.deleteUnused != 0) {
            gateway.deleteUnused(options.deleteUnused);
        }
        if (isOwnersOnly()) {
            gateway.oneUser();
        } else {
            gateway.sessionOwners(sessionOwners());
        }
        if (options.webhook != null) {
            gateway.webhook(webhook());
        }
        return gateway;
    }

    private Path sessionOwners() throws IOException {
        return options.sessionOwners != null
                ? options.sessionOwners.toAbsolutePath()
                : ownFolder().resolve("sessions.jsonl");
    }

    private Webhook webhook() throws IOException {
        if (options.webhook == null || options.webhookSecret == null) {
            throw new UsageException("--webhook needs --webhook-secret with a file whose first line signs its reports");
        }
        String secret = Files.readString(options.webhookSecret)
                .lines()
                .findFirst()
                .orElse("")
                .strip();
        if (!options.webhookPrivate && "http".equalsIgnoreCase(options.webhook.getScheme())) {
            throw new UsageException("--webhook with http needs --webhook-private: reports would be in clear text");
        }
        try {
            Webhook webhook = Webhook.to(options.webhook, secret);
            webhook = options.webhookLink == null ? webhook : webhook.withLink(options.webhookLink);
            return options.webhookPrivate ? webhook.inPrivateNetwork() : webhook;
        } catch (IllegalArgumentException e) {
            throw new UsageException("--webhook: " + SafeText.line(String.valueOf(e.getMessage())));
        }
    }

    /** A name that a program would take for an option, or that no command can have, starts nothing. */
    private static String inCommand(Principal principal) {
        String name = principal.name();
        if (name.startsWith("-") || name.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalStateException("the name of a user that begins with a hyphen, or has a control character, "
                    + "cannot stand for {principal}");
        }
        return name;
    }

    private Function<Principal, Launch> agentOf(@Nullable PrincipalFolders folders) {
        return principal -> {
            try {
                Path root = folders == null ? null : folders.of(principal);
                String folder = root == null ? "" : root.toString();
                Launch launch = !hasPlaceholder()
                        ? agent
                        : withEnvironment(Launch.of(
                                agent.command(),
                                agent.arguments().stream()
                                        .map(word -> (word.contains(PRINCIPAL)
                                                        ? word.replace(PRINCIPAL, inCommand(principal))
                                                        : word)
                                                .replace(ROOT, folder))
                                        .toList()));
                launch = launch.env("ACP_PRINCIPAL", principal.name());
                return root == null ? launch : launch.cwd(root);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }
}
