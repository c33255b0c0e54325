package dev.acp4j.registry;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A host with an index of agents that answer {@code initialize}, and folders to install them into. */
final class Fixture implements AutoCloseable {
    static final String INDEX = "/registry.json";

    /** An agent without a JVM, so that tests start it in a moment. */
    static final String AGENT = """
            #!/bin/sh
            while read -r line; do
              id=$(printf '%s' "$line" | sed -n 's/.*"id":\\("*[^,"}]*"*\\).*/\\1/p')
              case $line in
                *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true}},"authMethods":[{"id":"key","name":"Key"}]}}\\n' "$id" ;;
              esac
            done
            """;

    final Host host = new Host();
    final Path root;
    private final Map<String, String> entries = new LinkedHashMap<>();
    private Instant now = Instant.parse("2026-11-01T12:00:00Z");
    RegistrySettings settings;

    Fixture(Path root) throws IOException {
        this.root = root;
        settings = RegistrySettings.of(root.resolve("data"), root.resolve("cache"))
                .indexes(List.of(host.url(INDEX)))
                .platform(Platform.LINUX_X86_64)
                .limits(new Limits(
                        1 << 20,
                        Duration.ofSeconds(20),
                        1 << 24,
                        1 << 24,
                        1 << 24,
                        10_000,
                        500,
                        Duration.ofSeconds(20),
                        3,
                        Duration.ofMillis(1)))
                .clock(new Clock() {
                    @Override
                    public java.time.ZoneId getZone() {
                        return ZoneOffset.UTC;
                    }

                    @Override
                    public Clock withZone(java.time.ZoneId zone) {
                        return this;
                    }

                    @Override
                    public Instant instant() {
                        return now;
                    }
                });
    }

    void later(Duration time) {
        now = now.plus(time);
    }

    Agents agents() {
        return Agents.of(settings, root.resolve("project"));
    }

    /** Puts an agent into the index, with an archive that has a digest. */
    Fixture agent(String id, String version) throws IOException {
        return agent(id, version, AGENT, true);
    }

    Fixture agent(String id, String version, String program, boolean hasDigest) throws IOException {
        byte[] archive = Packed.of()
                .program("bin/agent", program)
                .file("version", version)
                .tarGz();
        String path = "/" + id + "-" + version + ".tar.gz";
        host.file(path, archive);
        String digest = hasDigest ? ",\"sha256\":\"" + sha256(archive) + "\"" : "";
        return entry(
                id,
                version,
                "{\"binary\":{\"linux-x86_64\":{\"archive\":\"" + host.url(path) + "\",\"cmd\":\"./bin/agent\"" + digest
                        + "}}}");
    }

    static String sha256(byte[] bytes) {
        java.security.MessageDigest digest = Digests.sha256();
        digest.update(bytes);
        return Digests.text(digest);
    }

    /** Puts an entry into the index. */
    Fixture entry(String id, String version, String distribution) {
        entries.put(id, entryText(id, version, distribution));
        host.file(INDEX, index(entries.values()));
        return this;
    }

    void withdraw(String id) {
        entries.remove(id);
        host.file(INDEX, index(entries.values()));
    }

    static String entryText(String id, String version, String distribution) {
        return "{\"id\":\"" + id + "\",\"name\":\"" + id + "\",\"version\":\"" + version
                + "\",\"description\":\"An agent.\",\"license\":\"MIT\",\"distribution\":" + distribution + "}";
    }

    static String index(Iterable<String> entries) {
        List<String> all = new ArrayList<>();
        entries.forEach(all::add);
        return "{\"version\":\"1.0.0\",\"extensions\":[],\"agents\":[" + String.join(",", all) + "]}";
    }

    Installation install(String name) throws Exception {
        return install(name, null, Agents.Consent.VERIFIED);
    }

    Installation install(String name, Distribution.@Nullable Kind via, Agents.Consent consent) throws Exception {
        try (Agents agents = agents()) {
            return agents.install(agents.propose(name, via, false), consent, agents.lockFile(), true, Progress.NONE);
        }
    }

    @Override
    public void close() {
        host.close();
    }
}
