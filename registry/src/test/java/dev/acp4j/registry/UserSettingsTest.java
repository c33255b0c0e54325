package dev.acp4j.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the environment and {@code registry.json} say. */
class UserSettingsTest {
    @TempDir
    private Path folder;

    private RegistrySettings read(String json) throws Exception {
        Path file = folder.resolve("acp/registry.json");
        Files.createDirectories(file.getParent());
        Files.writeString(file, json);
        String here = folder.toString();
        return UserSettings.read(
                "Linux",
                Map.of(
                        "XDG_CONFIG_HOME",
                        here,
                        "XDG_DATA_HOME",
                        here,
                        "XDG_CACHE_HOME",
                        here,
                        "AGENTS_TOKEN",
                        "s3cret"),
                folder);
    }

    @ParameterizedTest
    @CsvSource({
        "Linux, '', home/.local/share/acp/agents, home/.cache/acp/agents, home/.config/acp",
        "Mac OS X, '', home/.local/share/acp/agents, home/.cache/acp/agents, home/.config/acp",
        "Mac OS X, XDG_DATA_HOME, given/acp/agents, home/.cache/acp/agents, home/.config/acp",
        "Linux, LOCALAPPDATA, home/.local/share/acp/agents, home/.cache/acp/agents, home/.config/acp",
        "Windows 11, LOCALAPPDATA, given/acp/share/agents, given/acp/cache/agents, given/acp/config",
        "Windows 11, XDG_CONFIG_HOME, home/.local/share/acp/agents, home/.cache/acp/agents, given/acp"
    })
    @Tag("REG-24")
    void eachSystemHasItsFolders(String system, String variable, String data, String cache, String config)
            throws Exception {
        Path file = Files.createDirectories(folder.resolve(config)).resolve("registry.json");
        Files.writeString(file, "{\"indexes\": [\"/made/up\"]}");

        RegistrySettings settings = UserSettings.read(
                system, Map.of(variable, folder.resolve("given").toString()), folder.resolve("home"));

        assertThat(settings.data()).isEqualTo(folder.resolve(data));
        assertThat(settings.cache()).isEqualTo(folder.resolve(cache));
        assertThat(settings.indexes()).containsExactly("/made/up");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"variable\": \"AGENTS_TOKEN\"", "\"command\": [\"echo\", \"s3cret\"]"})
    @Tag("REG-08")
    void aTokenComesFromAVariableOrACommand(String from) throws Exception {
        try (Host host = new Host()) {
            host.requireToken("s3cret");
            host.file("/registry.json", Fixture.index(List.of()));
            RegistrySettings settings = read("{\"indexes\": [\"" + host.url("/registry.json")
                    + "\"], \"tokens\": [{\"host\": \"127.0.0.1:" + host.port() + "\", " + from + "}]}");

            try (Agents agents = Agents.of(settings, folder)) {
                assertThat(agents.indexes(true)).hasSize(1);
            }
            assertThat(host.requests()).containsExactly("GET /registry.json Bearer s3cret");
        }
    }

    @Test
    @Tag("REG-08")
    @Timeout(30)
    void aCommandThatSaysNothingHoldsNothingUp() {
        assertThat(UserSettings.output(List.of("sleep", "60"), Duration.ofMillis(100)))
                .isEmpty();
        assertThat(UserSettings.output(List.of("echo", "a value"), Duration.ofSeconds(20)))
                .contains("a value");
    }

    @Test
    @Tag("REG-08")
    void aTokenInTheFileItselfIsRefused() {
        assertThatThrownBy(() -> read("{\"tokens\": [{\"host\": \"h.example\", \"token\": \"s3cret\"}]}"))
                .hasMessageContaining("expected either variable or command")
                .hasMessageNotContaining("s3cret");
    }

    @Test
    @Tag("REG-03")
    void proxiesAreThoseOfTheUsualVariables() {
        ProxySelector proxies = Objects.requireNonNull(UserSettings.proxy(Map.of(
                "https_proxy", "proxy.example:3128",
                "ALL_PROXY", "http://all.example",
                "NO_PROXY", ".inside.example, other.example")));

        assertThat(select(proxies, "https://h.example/a")).isEqualTo("proxy.example:3128");
        assertThat(select(proxies, "http://h.example/a")).isEqualTo("all.example:80");
        assertThat(select(proxies, "https://a.inside.example/")).isEqualTo("DIRECT");
        assertThat(select(proxies, "https://other.example/")).isEqualTo("DIRECT");
        assertThat(select(proxies, "http://127.0.0.1/")).isEqualTo("DIRECT");
        assertThat(UserSettings.proxy(Map.of("NO_PROXY", "*"))).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://me:p^w@proxy.example:8080", "socks5://me:p^w@proxy.example", "socks5://me:pw@h"})
    @Tag("REG-03")
    void aProxyThatCannotBeUsedIsNamedWithoutItsPassword(String address) {
        RegistrySettings settings = RegistrySettings.of(folder, folder)
                .proxy(Objects.requireNonNull(UserSettings.proxy(Map.of("HTTPS_PROXY", address))))
                .indexes(List.of("https://agents.example/registry.json"));
        Agents agents = Agents.of(settings, folder);

        assertThatThrownBy(() -> agents.indexes(true))
                .isInstanceOf(RegistryException.class)
                .hasMessageContaining("HTTPS_PROXY")
                .hasMessageNotContaining("p^w")
                .hasMessageNotContaining("pw@");
    }

    private static String select(ProxySelector proxies, String address) {
        Proxy proxy = proxies.select(URI.create(address)).getFirst();
        return proxy.address() instanceof InetSocketAddress place
                ? place.getHostString() + ":" + place.getPort()
                : proxy.type().toString();
    }
}
