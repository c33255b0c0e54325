package dev.acp4j.cli.serve;

import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.StateFolder;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.http.BearerTokens;
import dev.acp4j.http.Http;
import dev.acp4j.http.HttpServer;
import dev.acp4j.http.Principal;
import dev.acp4j.http.ServerLimits;
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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes a server and a gateway of options, and says what is wrong with them. */
final class Serving {
    private static final String PRINCIPAL = "{principal}";
    private static final String ROOT = "{root}";

    private final ServeOptions options;
    private final Launch agent;
    private Path tokenFile = Path.of("");

    /** @param agent the agent, with placeholders */
    Serving(ServeOptions options, Launch agent) {
        this.options = options;
        this.agent = withEnvironment(agent);
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

    /** Returns the file of the tokens, once the server was made. */
    Path tokenFile() {
        return tokenFile;
    }

    HttpServer server() {
        try {
            requireSafe();
            HttpServer server = Http.on(options.port)
                    .address(options.listen)
                    .healthPath("/ready")
                    .tokens(tokens())
                    .allowedOrigins(options.origins.toArray(String[]::new))
                    .drainTime(options.drain)
                    .limits(limits());
            if (!options.hosts.isEmpty()) {
                server = server.allowedHosts(options.hosts.toArray(String[]::new));
            }
            if (options.tlsCertificate != null && options.tlsKey != null) {
                server = server.tls(Tls.pem(options.tlsCertificate, options.tlsKey));
            }
            if (!options.trustedProxies.isEmpty()) {
                server = server.trustedProxies(proxies());
            }
            return server;
        } catch (IOException e) {
            throw new UsageException(SafeText.line(IoProblem.text(e)));
        } catch (IllegalArgumentException e) {
            throw new UsageException(SafeText.line(String.valueOf(e.getMessage())));
        }
    }

    private ServerLimits limits() {
        return ServerLimits.STANDARD
                .withConnections(options.connections, options.connectionsPerUser)
                .withMessageBytes(options.messageBytes)
                .withRequestsPerMinute(options.requestsPerMinute)
                .withGrace(options.grace);
    }

    /** The server refuses these, too, in other words. */
    private void requireSafe() throws UnknownHostException {
        if ((options.tlsCertificate == null) != (options.tlsKey == null)) {
            throw new UsageException("--tls-certificate and --tls-key belong together");
        }
        if (InetAddress.getByName(options.listen).isLoopbackAddress()) {
            return;
        }
        String where =
                "--listen " + SafeText.line(options.listen) + " is reached from beyond this machine, which needs ";
        if (options.tlsCertificate == null && options.trustedProxies.isEmpty()) {
            throw new UsageException(
                    where + "--tls-certificate and --tls-key, or --trusted-proxy with the address of a "
                            + "proxy that has TLS");
        }
        if (options.hosts.isEmpty()) {
            throw new UsageException(where + "--host with the name by which clients reach it");
        }
    }

    private BearerTokens tokens() throws IOException {
        if (options.tokens != null) {
            tokenFile = options.tokens.toAbsolutePath();
            return BearerTokens.read(options.tokens);
        }
        TokenFile own = TokenFile.ofUser();
        tokenFile = own.path();
        return BearerTokens.of("owner", own.token());
    }

    private InetAddress[] proxies() throws UnknownHostException {
        InetAddress[] proxies = new InetAddress[options.trustedProxies.size()];
        for (int i = 0; i < proxies.length; i++) {
            proxies[i] = InetAddress.getByName(options.trustedProxies.get(i));
        }
        return proxies;
    }

    /** @throws IOException when the file that says whose sessions are whose cannot be used */
    Gateway gateway(ServeLog log) throws IOException {
        PrincipalFolders folders = options.root == null ? null : PrincipalFolders.in(options.root);
        Gateway.Builder gateway = (options.prestart > 0 ? Gateway.builder(agent) : Gateway.builder(agentOf(folders)))
                .prestarted(options.prestart)
                .limits(new GatewayLimits(
                        options.processes,
                        options.processesPerUser,
                        options.startsPerMinute,
                        options.sessionsPerUser,
                        options.idle,
                        options.questionTime))
                .onEvent(log::write);
        if (options.per.equals("user")) {
            gateway.perUser();
        }
        if (folders != null) {
            gateway.roots(folders);
        }
        if (options.tokens == null) {
            gateway.oneUser();
        } else {
            Path folder = StateFolder.path().resolve("serve");
            gateway.sessionOwners(StateFolder.createForUser(folder).resolve("sessions-" + options.port + ".jsonl"));
        }
        if (options.webhook != null) {
            gateway.webhook(webhook());
        }
        return gateway.build();
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
        try {
            Webhook webhook = Webhook.to(options.webhook, secret);
            return options.webhookPrivate ? webhook.inPrivateNetwork() : webhook;
        } catch (IllegalArgumentException e) {
            throw new UsageException(SafeText.line(String.valueOf(e.getMessage())));
        }
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
                                        .map(word -> word.replace(PRINCIPAL, principal.name())
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
