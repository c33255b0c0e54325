package dev.acp4j.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Client;
import dev.acp4j.json.JsonObject;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Agents of npm: the real npm, and a server of packages on this machine. */
@Timeout(120)
@EnabledIf("hasNpm")
class NpmTest {
    private static final String PROGRAM = """
            #!/usr/bin/env node
            const helper = require('helper');
            require('readline').createInterface({input: process.stdin}).on('line', line => {
              const message = JSON.parse(line);
              if (message.method === 'initialize')
                console.log(JSON.stringify({jsonrpc: '2.0', id: message.id,
                    result: {protocolVersion: 1, agentInfo: {name: helper.name, version: '1'}}}));
            });
            """;

    @TempDir
    private Path folder;

    /** Manifests by package and version. */
    private final Map<String, Map<String, String>> published = new TreeMap<>();

    @SuppressWarnings("NullAway.Init")
    private Fixture fixture;

    static boolean hasNpm() {
        try {
            return Launch.of("npm").program().isAbsolute();
        } catch (LaunchException e) {
            return false;
        }
    }

    @BeforeEach
    void start() throws Exception {
        fixture = new Fixture(folder);
        publish("helper", "2.0.0", "{}", "exports.name = 'helped';");
        publish("agent-of-npm", "1.0.0", "{\"helper\":\"^2.0.0\"}", PROGRAM);
        fixture.entry("node-agent", "1.0.0", "{\"npx\":{\"package\":\"agent-of-npm@1.0.0\",\"args\":[\"--acp\"]}}");
        fixture.settings = npm("cache", "");
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private RegistrySettings npm(String cache, String settings) throws Exception {
        Path file = Files.writeString(
                folder.resolve("npmrc"), "registry=" + fixture.host.url("/npm/") + "\n" + settings + "\n");
        return fixture.settings.programs(Map.of(
                "npm_config_userconfig",
                file.toString(),
                "npm_config_cache",
                folder.resolve(cache).toString(),
                "npm_config_fetch_retries",
                "0"));
    }

    private void publish(String name, String version, String dependencies, String script) throws Exception {
        String manifest = "{\"name\":\"" + name + "\",\"version\":\"" + version + "\",\"main\":\"main.js\",\"bin\":{\""
                + name + "\":\"main.js\"},\"dependencies\":" + dependencies + "}";
        byte[] tarball = Packed.of()
                .file("package/package.json", manifest)
                .program("package/main.js", script)
                .tarGz();
        MessageDigest digest = MessageDigest.getInstance("SHA-512");
        String integrity = "sha512-" + Base64.getEncoder().encodeToString(digest.digest(tarball));
        String path = "/npm/" + name + "/-/" + name + "-" + version + ".tgz";
        fixture.host.file(path, tarball);
        Map<String, String> versions = published.computeIfAbsent(name, key -> new TreeMap<>());
        versions.put(
                version,
                manifest.substring(0, manifest.length() - 1) + ",\"dist\":{\"tarball\":\"" + fixture.host.url(path)
                        + "\",\"integrity\":\"" + integrity + "\"}}");
        fixture.host.file("/npm/" + name, document(name, versions));
    }

    private static String document(String name, Map<String, String> versions) {
        List<String> manifests = new ArrayList<>();
        List<String> times = new ArrayList<>();
        String latest = "";
        for (Map.Entry<String, String> each : versions.entrySet()) {
            latest = each.getKey();
            manifests.add("\"" + each.getKey() + "\":" + each.getValue());
            times.add("\"" + each.getKey() + "\":\"2026-10-30T00:00:00.000Z\"");
        }
        return "{\"name\":\"" + name + "\",\"dist-tags\":{\"latest\":\"" + latest + "\"},\"time\":{"
                + String.join(",", times) + "},\"versions\":{" + String.join(",", manifests) + "}}";
    }

    private String nameOf(Installation installation) throws Exception {
        try (Agents agents = fixture.agents();
                var agent = Client.builder("test", "1").connect(agents.launch(installation))) {
            return agent.info().orElseThrow().name();
        }
    }

    @Test
    @Tag("REG-26")
    @Tag("PRC-20")
    void anAgentOfNpmStartsAgainWithoutAskingAnybody() throws Exception {
        Installation installation = fixture.install("node-agent");
        int asked = fixture.host.requests().size();

        assertThat(nameOf(installation)).isEqualTo("helped");
        fixture.host.close();
        assertThat(nameOf(installation)).isEqualTo("helped");

        assertThat(fixture.host.requests()).hasSize(asked);
        assertThat(installation.args()).containsExactly("--acp");
        assertThat(installation.command()).endsWith("/node_modules/.bin/agent-of-npm");
        assertThat(installation.tree().resolve("package.json")).content().contains("\"agent-of-npm\": \"1.0.0\"");
        assertThat(installation.verify()).isEmpty();
    }

    @Test
    @Tag("REG-27")
    @Tag("REG-37")
    void fromALockTheSameTreeIsInstalledWithoutAnIndex() throws Exception {
        Installation first = fixture.install("node-agent");
        assertThat(first.pin().tree()).isInstanceOf(JsonObject.class);
        assertThat(tree(first)).contains("sha512-").doesNotContain(fixture.host.url(""));
        // A newer helper would be taken by anybody who resolves again.
        publish("helper", "2.1.0", "{}", "exports.name = 'newer';");
        pinElsewhere(first);

        Installation second = fixture.install("node-agent");

        assertThat(second.pin()).isEqualTo(first.pin());
        assertThat(second.folder().getFileName()).isEqualTo(first.folder().getFileName());
        assertThat(nameOf(second)).isEqualTo("helped");
    }

    private static String tree(Installation installation) {
        return Objects.requireNonNull(installation.pin().tree()).toString();
    }

    private void pinElsewhere(Installation installation) throws Exception {
        fixture.settings = npm("another-cache", "").data(folder.resolve("ci")).indexes(List.of());
        try (Agents agents = fixture.agents()) {
            agents.pin(installation.pin(), agents.userLockFile());
        }
    }

    @Test
    @Tag("REG-27")
    @Tag("REG-38")
    void theTreeThatAnotherLockHasChosenIsNotTakenForThatOfAnEntry() throws Exception {
        Installation first = fixture.install("node-agent");
        publish("helper", "2.1.0", "{}", "exports.name = 'newer';");
        try (Agents agents = fixture.agents()) {
            agents.lockFile().change(pins -> pins.clear());
        }
        fixture.settings = npm("other-cache", "");

        Installation second = fixture.install("node-agent");

        assertThat(second.folder()).isNotEqualTo(first.folder());
        assertThat(nameOf(second)).isEqualTo("newer");
    }

    @Test
    @Tag("REG-27")
    void aPackageWithOtherBytesFails() throws Exception {
        Installation first = fixture.install("node-agent");
        pinElsewhere(first);
        // The server says the digest of its new bytes, so that the lock alone can notice them.
        publish("helper", "2.0.0", "{}", "exports.name = 'evil';");

        assertThatThrownBy(() -> fixture.install("node-agent"))
                .isInstanceOf(RegistryException.class)
                .hasMessageContaining("other bytes than those that are pinned")
                .hasMessageContaining("EINTEGRITY");

        assertThat(folder.resolve("ci/node-agent")).doesNotExist();
    }

    @Test
    @Tag("REG-28")
    void aFailureBecauseOfASettingNamesIt() throws Exception {
        fixture.settings = npm("cache", "before=2026-01-01");
        assertThatThrownBy(() -> fixture.install("node-agent"))
                .hasMessageContaining("min-release-age")
                .hasMessageContaining("npm error");

        Map<String, String> nowhere = new HashMap<>(fixture.settings.programs());
        nowhere.put("npm_config_registry", "http://127.0.0.1:1/");
        fixture.settings = npm("cache", "").programs(nowhere);
        assertThatThrownBy(() -> fixture.install("node-agent")).hasMessageContaining("cannot be reached");
    }

    @Test
    @Tag("REG-29")
    void whatNpmPrintsIsInTheFailureOnly() throws Exception {
        fixture.entry("node-agent", "1.0.0", "{\"npx\":{\"package\":\"missing-package@1.0.0\"}}");

        assertThatThrownBy(() -> fixture.install("node-agent"))
                .hasMessageContaining("npm could not install missing-package@1.0.0")
                .hasMessageContaining("E404");
    }
}
