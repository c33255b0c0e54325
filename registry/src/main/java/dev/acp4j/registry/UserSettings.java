package dev.acp4j.registry;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The settings of a user: variables, {@code registry.json}, and the folders that the system has for such things. */
final class UserSettings {
    private static final Duration LONGEST_COMMAND = Duration.ofSeconds(30);

    private UserSettings() {}

    /**
     * Reads the settings of a user.
     *
     * @param system the name of the system, as the JVM has it
     * @param home the home of the user
     */
    static RegistrySettings read(String system, Map<String, String> environment, Path home) throws RegistryException {
        Path local = local(system, environment);
        Path data = base(environment.get("XDG_DATA_HOME"), local, "share", home.resolve(".local/share"));
        Path cache = base(environment.get("XDG_CACHE_HOME"), local, "cache", home.resolve(".cache"));
        Path config = base(environment.get("XDG_CONFIG_HOME"), local, "config", home.resolve(".config"));
        RegistrySettings settings = RegistrySettings.of(data.resolve("agents"), cache.resolve("agents"))
                .offline(isSet(environment.get("ACP_OFFLINE")))
                .musl(Platform.hasMusl(Path.of("/")));
        ProxySelector proxy = proxy(environment);
        settings = proxy == null ? settings : settings.proxy(proxy);
        Path file = config.resolve("registry.json");
        try {
            String text = Folders.text(file);
            if (text != null) {
                settings = with(settings, Json.object(RawJson.parse(text).value(), "the settings"), environment);
            }
        } catch (IOException | JsonException | IllegalArgumentException e) {
            throw new RegistryException("cannot use the settings in " + file + ": " + e.getMessage(), e);
        }
        String indexes = environment.get("ACP_REGISTRY");
        return indexes == null || indexes.isBlank()
                ? settings
                : settings.indexes(List.of(indexes.strip().split("\\s+")));
    }

    private static boolean isSet(@Nullable String value) {
        return value != null && !value.isEmpty() && !value.equals("0") && !value.equalsIgnoreCase("false");
    }

    /** Returns the folder that Windows has for such things; null on other systems. */
    private static @Nullable Path local(String system, Map<String, String> environment) {
        String local = environment.get("LOCALAPPDATA");
        return local == null || !system.startsWith("Windows") ? null : Path.of(local);
    }

    private static Path base(@Nullable String given, @Nullable Path local, String name, Path otherwise) {
        if (given != null && Path.of(given).isAbsolute()) {
            return Path.of(given).resolve("acp");
        }
        return local == null ? otherwise.resolve("acp") : local.resolve("acp").resolve(name);
    }

    private static RegistrySettings with(RegistrySettings before, JsonObject json, Map<String, String> environment) {
        RegistrySettings settings = before;
        List<String> indexes = Json.texts(json, "indexes");
        settings = indexes.isEmpty() ? settings : settings.indexes(indexes);
        for (JsonValue each : array(json, "mirrors")) {
            JsonObject mirror = Json.object(each, "mirrors");
            settings = settings.mirror(Json.text(mirror, "from"), Json.text(mirror, "to"));
        }
        for (JsonValue each : array(json, "tokens")) {
            JsonObject token = Json.object(each, "tokens");
            String variable = Json.optionalText(token, "variable");
            List<String> command = Json.texts(token, "command");
            if ((variable == null) == command.isEmpty()) {
                throw new IllegalArgumentException("tokens: expected either variable or command");
            }
            settings = settings.token(
                    Json.text(token, "host"),
                    () -> variable == null ? output(command) : Optional.ofNullable(environment.get(variable)));
        }
        return settings;
    }

    private static List<JsonValue> array(JsonObject json, String name) {
        return json.get(name).orElse(null) instanceof JsonArray array ? array.elements() : List.of();
    }

    /** Returns the first line of what a command prints; empty if it fails. */
    static Optional<String> output(List<String> command) {
        return output(command, LONGEST_COMMAND);
    }

    /** The process has ended before its output is read, so a silent one does not hold this up. */
    static Optional<String> output(List<String> command, Duration limit) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(new File(File.separatorChar == '\\' ? "NUL" : "/dev/null")))
                    .start();
            try (var out = process.inputReader()) {
                boolean isDone = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS) && process.exitValue() == 0;
                return isDone ? Optional.ofNullable(out.readLine()) : Optional.empty();
            } finally {
                process.destroy();
            }
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /**
     * Returns the proxy of the variables that other programs read, too; null if none is set. One that cannot be used is
     * a failure of what needs it: {@link UncheckedIOException}.
     */
    static @Nullable ProxySelector proxy(Map<String, String> environment) {
        String https = set(environment, "HTTPS_PROXY", "ALL_PROXY");
        String http = set(environment, "HTTP_PROXY", "ALL_PROXY");
        if (https == null && http == null) {
            return null;
        }
        String none = variable(environment, "NO_PROXY");
        List<String> direct = none == null
                ? List.of()
                : Arrays.asList(none.toLowerCase(Locale.ROOT).split("[,\\s]+"));
        return new ProxySelector() {
            @Override
            public List<Proxy> select(URI uri) {
                String name = uri.getScheme().equalsIgnoreCase("https") ? https : http;
                String host = String.valueOf(uri.getHost()).toLowerCase(Locale.ROOT);
                if (name == null || Downloads.isLoopback(uri) || direct.stream().anyMatch(each -> covers(each, host))) {
                    return List.of(Proxy.NO_PROXY);
                }
                URI proxy = proxyAt(name, String.valueOf(variable(environment, name)));
                int port = proxy.getPort() < 0 ? 80 : proxy.getPort();
                return List.of(new Proxy(Proxy.Type.HTTP, InetSocketAddress.createUnresolved(proxy.getHost(), port)));
            }

            @Override
            public void connectFailed(URI uri, SocketAddress address, IOException failure) {
                // The failure is reported where the request was made.
            }
        };
    }

    private static boolean covers(String pattern, String host) {
        String bare = pattern.startsWith("*") ? pattern.substring(1) : pattern;
        String domain = bare.startsWith(".") ? bare : "." + bare;
        return bare.isEmpty() ? pattern.equals("*") : host.equals(domain.substring(1)) || host.endsWith(domain);
    }

    /** Returns the first of the names whose variable is set; null for none. */
    private static @Nullable String set(Map<String, String> environment, String... names) {
        for (String name : names) {
            String value = variable(environment, name);
            if (value != null && !value.isBlank()) {
                return name;
            }
        }
        return null;
    }

    /** The value may have a password, so it is not shown. */
    private static URI proxyAt(String name, String value) {
        try {
            URI uri = new URI(value.contains("://") ? value : "http://" + value);
            if (uri.getHost() != null
                    && uri.getScheme().toLowerCase(Locale.ROOT).matches("https?")) {
                return uri;
            }
        } catch (URISyntaxException e) {
            // Its message has the value.
        }
        throw new UncheckedIOException(new RegistryException(
                "the variable " + name + " names no proxy that can be used: expected http://HOST:PORT"));
    }

    private static @Nullable String variable(Map<String, String> environment, String name) {
        String lower = environment.get(name.toLowerCase(Locale.ROOT));
        return lower == null ? environment.get(name) : lower;
    }
}
