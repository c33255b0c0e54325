package dev.acp4j.registry;

import java.net.ProxySelector;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where agents come from and where they go. Immutable; each method returns a changed copy.
 *
 * <p>{@link #ofUser} reads the settings of the user from the environment and {@code registry.json} in the folder of
 * settings:
 *
 * <pre>{@code
 * {
 *   "indexes": ["https://agents.example/registry.json", "/srv/agents"],
 *   "mirrors": [{"from": "https://github.com/", "to": "https://mirror.example/github/"}],
 *   "tokens": [{"host": "agents.example", "variable": "AGENTS_TOKEN"}]
 * }
 * }</pre>
 */
public final class RegistrySettings {
    /** The index of the ACP project. */
    public static final String PUBLIC_INDEX = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json";

    private Path data;
    private Path cache;
    private List<String> indexes = List.of(PUBLIC_INDEX);
    private Map<String, String> mirrors = Map.of();
    private Map<String, Token> tokens = Map.of();
    private boolean isOffline;

    @Nullable
    private Platform platform = Platform.here().orElse(null);

    private boolean isMusl;
    private Clock clock = Clock.systemUTC();

    @Nullable
    private ProxySelector proxy;

    private Limits limits = Limits.STANDARD;

    /** What npm and uv get beside the environment of this program. */
    private Map<String, String> programs = Map.of();

    /** Gives a secret when it is needed. */
    @FunctionalInterface
    public interface Token {
        /** Returns the secret; empty if there is none now. */
        Optional<String> value();
    }

    private RegistrySettings(Path data, Path cache) {
        this.data = data;
        this.cache = cache;
    }

    private RegistrySettings(RegistrySettings other) {
        data = other.data;
        cache = other.cache;
        indexes = other.indexes;
        mirrors = other.mirrors;
        tokens = other.tokens;
        isOffline = other.isOffline;
        platform = other.platform;
        isMusl = other.isMusl;
        clock = other.clock;
        proxy = other.proxy;
        limits = other.limits;
        programs = other.programs;
    }

    /**
     * Returns settings without any of the user's.
     *
     * @param data where agents are installed
     * @param cache where indexes are kept
     */
    public static RegistrySettings of(Path data, Path cache) {
        return new RegistrySettings(
                data.toAbsolutePath().normalize(), cache.toAbsolutePath().normalize());
    }

    /**
     * Returns the settings of the user.
     *
     * @throws RegistryException if the file of settings cannot be used
     */
    public static RegistrySettings ofUser() throws RegistryException {
        return UserSettings.read(
                System.getProperty("os.name", ""), System.getenv(), Path.of(System.getProperty("user.home", "")));
    }

    /** Returns settings with these indexes, the first of which counts most: addresses, files or folders. */
    public RegistrySettings indexes(List<String> sources) {
        RegistrySettings changed = new RegistrySettings(this);
        changed.indexes = List.copyOf(sources);
        return changed;
    }

    /** Returns settings with a mirror: what begins with {@code from} is fetched from {@code to}. The longest counts. */
    public RegistrySettings mirror(String from, String to) {
        RegistrySettings changed = new RegistrySettings(this);
        Map<String, String> all = new LinkedHashMap<>(mirrors);
        all.put(from, to);
        changed.mirrors = Map.copyOf(all);
        return changed;
    }

    /**
     * Returns settings with a token for a host, sent to it as a bearer token, over TLS or to this machine, and to no
     * other.
     *
     * @param host its name, with its port if that is not the usual one
     */
    public RegistrySettings token(String host, Token token) {
        RegistrySettings changed = new RegistrySettings(this);
        Map<String, Token> all = new LinkedHashMap<>(tokens);
        all.put(host.toLowerCase(java.util.Locale.ROOT), Objects.requireNonNull(token));
        changed.tokens = Map.copyOf(all);
        return changed;
    }

    /** Returns settings that open no connection, or may. */
    public RegistrySettings offline(boolean value) {
        RegistrySettings changed = new RegistrySettings(this);
        changed.isOffline = value;
        return changed;
    }

    /** Returns settings for another platform than that of this machine. */
    public RegistrySettings platform(Platform value) {
        RegistrySettings changed = new RegistrySettings(this);
        changed.platform = value;
        return changed;
    }

    /** Returns settings with a proxy for HTTP; the default is that of the JVM. */
    public RegistrySettings proxy(ProxySelector value) {
        RegistrySettings changed = new RegistrySettings(this);
        changed.proxy = value;
        return changed;
    }

    /** Returns settings with another clock, for tests. */
    public RegistrySettings clock(Clock value) {
        RegistrySettings changed = new RegistrySettings(this);
        changed.clock = value;
        return changed;
    }

    RegistrySettings data(Path folder) {
        RegistrySettings changed = new RegistrySettings(this);
        changed.data = folder.toAbsolutePath().normalize();
        changed.cache = changed.data.resolve(".cache");
        return changed;
    }

    RegistrySettings limits(Limits value) {
        RegistrySettings changed = new RegistrySettings(this);
        changed.limits = value;
        return changed;
    }

    RegistrySettings programs(Map<String, String> environment) {
        RegistrySettings changed = new RegistrySettings(this);
        changed.programs = Map.copyOf(environment);
        return changed;
    }

    RegistrySettings musl(boolean value) {
        RegistrySettings changed = new RegistrySettings(this);
        changed.isMusl = value;
        return changed;
    }

    /** Returns the folder in which agents are installed. */
    public Path data() {
        return data;
    }

    /** Returns the indexes, the first of which counts most. */
    public List<String> indexes() {
        return indexes;
    }

    /** Returns whether no connection may be opened. */
    public boolean isOffline() {
        return isOffline;
    }

    /** Returns the platform; empty if no agent is built for it. */
    public Optional<Platform> platform() {
        return Optional.ofNullable(platform);
    }

    Path cache() {
        return cache;
    }

    boolean isMusl() {
        return isMusl;
    }

    Clock clock() {
        return clock;
    }

    @Nullable
    ProxySelector proxy() {
        return proxy;
    }

    Limits limits() {
        return limits;
    }

    Map<String, String> programs() {
        return programs;
    }

    /** Returns the address that is asked for a file at another address. */
    URI mirrored(URI original) {
        String text = original.toString();
        String best = null;
        for (String from : mirrors.keySet()) {
            if (text.startsWith(from) && (best == null || from.length() > best.length())) {
                best = from;
            }
        }
        return best == null ? original : URI.create(mirrors.get(best) + text.substring(best.length()));
    }

    Optional<String> token(URI address) {
        String host = String.valueOf(address.getHost()).toLowerCase(java.util.Locale.ROOT);
        Token token = tokens.get(address.getPort() < 0 ? host : host + ":" + address.getPort());
        return token == null ? Optional.empty() : token.value();
    }
}
