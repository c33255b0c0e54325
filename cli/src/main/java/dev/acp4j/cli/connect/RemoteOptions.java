package dev.acp4j.cli.connect;

import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.http.Http;
import dev.acp4j.http.RemoteAgent;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options by which a remote agent is reached. */
public final class RemoteOptions {
    @Mixin
    private final Credential credential = new Credential();

    @Option(
            names = "--over",
            paramLabel = "auto|events|websocket",
            description =
                    "How messages travel; default: auto, which is a WebSocket where the server has it, and server-sent "
                            + "events elsewhere.")
    private @Nullable String over;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description = "Trust the certificates in this PEM file beside those of the system.")
    private @Nullable Path authorities;

    @Option(
            names = "--pin",
            paramLabel = "SHA256",
            description = "Trust the certificate with this SHA-256 fingerprint, and no other. Not with --ca or "
                    + "--client-certificate.")
    private @Nullable String pin;

    @Option(
            names = "--client-certificate",
            paramLabel = "FILE",
            description = "Show the certificate in this PEM file to servers that ask for one; its key is in the file, "
                    + "too, which only you may read.")
    private @Nullable Path clientCertificate;

    private @Nullable NamedServer server;

    /** Returns whether a text is a URL, or the name of a server of the user. */
    public static boolean isPlace(String text) {
        return text.contains("://")
                || (NamedServer.isName(text) && NamedServer.isThere(NamedServer.file(System.getenv()), text));
    }

    /**
     * Returns the address of an agent, given by a URL or by the name of a server, of which the other options are used
     * from then on unless the command line says something else.
     */
    public URI find(String urlOrName) {
        String url = urlOrName;
        if (NamedServer.isName(urlOrName)) {
            server = NamedServer.find(NamedServer.file(System.getenv()), urlOrName);
            url = Objects.requireNonNull(server.get("url"));
            over = over == null ? server.get("over") : over;
            if (authorities == null && pin == null) {
                authorities = server.path("ca");
                pin = server.get("pin");
            }
            clientCertificate = clientCertificate == null ? server.path("clientCertificate") : clientCertificate;
            credential.orElse(server);
        }
        try {
            URI uri = new URI(url);
            if (uri.getScheme() == null) {
                throw new UsageException(
                        "expected the URL of an agent, such as https://agents.example/acp, got " + SafeText.line(url));
            }
            return uri;
        } catch (URISyntaxException e) {
            throw new UsageException("not a URL: " + SafeText.line(url) + ": " + e.getReason());
        }
    }

    /** Returns whether an address is that of a program which the system's ssh runs. */
    public static boolean isSsh(URI uri) {
        return uri.getScheme().toLowerCase(Locale.ROOT).equals("ssh");
    }

    /** Refuses what has an effect over HTTP alone. */
    void requireNoneForHttp() {
        String given = over != null
                ? "--over"
                : authorities != null
                        ? "--ca"
                        : pin != null
                                ? "--pin"
                                : clientCertificate != null ? "--client-certificate" : credential.given();
        if (given == null && server != null) {
            given = server.get("proxy") != null ? "proxy" : server.headers().isEmpty() ? null : "headers";
        }
        if (given != null) {
            throw new UsageException(given + " has no effect over ssh, which has settings of its own in ~/.ssh/config"
                    + (server == null ? "" : ": leave it out, or its key in servers.json"));
        }
    }

    /** Returns whether the file of servers says that the agent outlives the line. */
    boolean attaches() {
        return server != null && Boolean.parseBoolean(server.get(NamedServer.ATTACH));
    }

    /** Returns how an agent is reached. */
    public Way way(URI uri) {
        try {
            if (pin != null && (authorities != null || clientCertificate != null)) {
                throw new UsageException("--pin cannot be combined with --ca or --client-certificate: a pin trusts one"
                        + " certificate alone, of a server that asks for none");
            }
            RemoteAgent.Over chosen = over(uri);
            RemoteAgent bare = Http.to(uri).over(chosen);
            Credential.Found found = credential.find(bare.endpoint(), authorizationServer());
            RemoteAgent remote = found.addTo(bare);
            if (server != null) {
                for (Map.Entry<String, Secret> header : server.headers().entrySet()) {
                    remote = remote.header(header.getKey(), header.getValue()::read);
                }
            }
            remote = pin == null ? trusting(remote, clientCertificate) : remote.pin(pin);
            URI proxy = proxy(remote);
            return new Way(
                    proxy == null ? remote : ProxyVariables.through(proxy, remote), chosen, found.source(), proxy);
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    /** Returns the login with a server. */
    public DeviceLogin login(URI uri, Consumer<String> tell) {
        try {
            return new DeviceLogin(Http.to(uri).endpoint(), authorizationServer(), tell);
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    /** What is shown to the server is not shown to others: neither the credential nor the certificate of this side. */
    private AuthorizationServer authorizationServer() {
        return new AuthorizationServer(other -> {
            RemoteAgent trusting = trusting(other, null);
            URI proxy = proxy(other);
            return proxy == null ? trusting : ProxyVariables.through(proxy, trusting);
        });
    }

    private RemoteAgent trusting(RemoteAgent remote, @Nullable Path own) {
        return authorities == null && own == null ? remote : remote.ssl(Certificates.context(authorities, own));
    }

    private @Nullable URI proxy(RemoteAgent remote) {
        return new ProxyVariables(System.getenv())
                .proxyFor(remote.endpoint(), server == null ? null : server.get("proxy"));
    }

    private RemoteAgent.Over over(URI uri) {
        boolean isSocket = uri.getScheme().toLowerCase(Locale.ROOT).startsWith("ws");
        return switch (over == null ? isSocket ? "websocket" : "auto" : over) {
            case "auto" -> RemoteAgent.Over.AUTO;
            case "events" -> RemoteAgent.Over.EVENTS;
            case "websocket" -> RemoteAgent.Over.WEBSOCKET;
            default ->
                throw new UsageException(
                        "expected --over auto, events or websocket, got --over " + SafeText.line(String.valueOf(over)));
        };
    }
}
