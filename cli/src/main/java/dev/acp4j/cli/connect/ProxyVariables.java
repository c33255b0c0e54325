package dev.acp4j.cli.connect;

import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.http.RemoteAgent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The proxies that variables of the environment name, as other programs of the command line read them:
 * {@code HTTPS_PROXY}, {@code HTTP_PROXY}, {@code ALL_PROXY} and {@code NO_PROXY}, in upper or lower case.
 */
final class ProxyVariables {
    private static final Pattern LOOPBACK =
            Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[?::1]?", Pattern.CASE_INSENSITIVE);
    private static final Pattern SEPARATOR = Pattern.compile("[,\\s]+");

    private final Map<String, String> environment;

    ProxyVariables(Map<String, String> environment) {
        this.environment = environment;
    }

    /** Has an agent reached by a proxy. */
    static RemoteAgent through(URI proxy, RemoteAgent remote) {
        InetSocketAddress address =
                InetSocketAddress.createUnresolved(proxy.getHost(), proxy.getPort() < 0 ? 80 : proxy.getPort());
        RemoteAgent through = remote.proxy(new Fixed(address));
        String user = proxy.getRawUserInfo();
        if (user == null) {
            return through;
        }
        // The JVM sends no password to a proxy before a tunnel unless this is set, and reads it once.
        System.setProperty("jdk.http.auth.tunneling.disabledSchemes", "");
        int colon = user.indexOf(':');
        String name = colon < 0 ? user : user.substring(0, colon);
        String password = colon < 0 ? "" : user.substring(colon + 1);
        return through.proxyCredentials(decoded(name), decoded(password));
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /**
     * Returns the proxy for an address; null for none. Loopback is always reached directly.
     *
     * @param given the proxy that is set for this server, whatever the variables say; null when there is none
     */
    @Nullable
    URI proxyFor(URI endpoint, @Nullable String given) {
        if (isLoopback(endpoint.getHost())) {
            return null;
        }
        if (given != null) {
            return parse("the proxy of the server", given);
        }
        boolean isSecure = "https".equals(endpoint.getScheme());
        String name = isSecure ? "HTTPS_PROXY" : "HTTP_PROXY";
        String value = variable(name);
        if (value.isEmpty()) {
            name = "ALL_PROXY";
            value = variable(name);
        }
        int port = endpoint.getPort() < 0 ? (isSecure ? 443 : 80) : endpoint.getPort();
        return value.isEmpty() || isExcepted(endpoint.getHost(), port) ? null : parse(name, value);
    }

    static boolean isLoopback(String host) {
        return LOOPBACK.matcher(host).matches();
    }

    private String variable(String name) {
        String lower = environment.getOrDefault(name.toLowerCase(Locale.ROOT), "");
        return (lower.isBlank() ? environment.getOrDefault(name, "") : lower).strip();
    }

    /** Returns whether a host is among those that are reached directly: by its name, or the end of its name. */
    private boolean isExcepted(String host, int port) {
        String name = host.toLowerCase(Locale.ROOT);
        for (String entry : SEPARATOR
                .splitAsStream(variable("NO_PROXY").toLowerCase(Locale.ROOT))
                .toList()) {
            String pattern = entry;
            int colon = entry.lastIndexOf(':');
            if (colon > 0 && entry.indexOf(':') == colon) {
                if (!entry.substring(colon + 1).equals(Integer.toString(port))) {
                    continue;
                }
                pattern = entry.substring(0, colon);
            }
            String end = pattern.startsWith("*.") ? pattern.substring(2) : pattern.replaceFirst("^\\.", "");
            if (pattern.equals("*") || (!end.isEmpty() && (name.equals(end) || name.endsWith("." + end)))) {
                return true;
            }
        }
        return false;
    }

    private static URI parse(String variable, String value) {
        try {
            URI uri = URI.create(value.contains("://") ? value : "http://" + value);
            if ("http".equalsIgnoreCase(uri.getScheme()) && uri.getHost() != null) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            // Reported below: the value may have a password.
        }
        throw new UsageException("expected " + SafeText.line(variable)
                + " to be the address of a proxy, http://[USER:PASSWORD@]HOST:PORT; other kinds of proxies are not"
                + " supported");
    }

    /** One proxy for all addresses. */
    private static final class Fixed extends ProxySelector {
        private final InetSocketAddress address;

        Fixed(InetSocketAddress address) {
            this.address = address;
        }

        @Override
        public List<Proxy> select(URI uri) {
            return List.of(new Proxy(Proxy.Type.HTTP, address));
        }

        @Override
        public void connectFailed(URI uri, SocketAddress proxy, IOException failure) {
            // The request fails, and says so.
        }
    }
}
