package dev.acp4j.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Client;
import dev.acp4j.json.JsonObject;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** From an index to an agent that answers, with archives. */
@Timeout(60)
class InstallTest {
    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private Fixture fixture;

    @BeforeEach
    void start() throws Exception {
        fixture = new Fixture(folder);
        fixture.agent("alpha", "1.0.0");
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private static Distribution.Archive archive(Pin pin) {
        return Objects.requireNonNull(pin.archive(Platform.LINUX_X86_64));
    }

    private List<Path> left() throws Exception {
        try (Stream<Path> all = Files.list(folder.resolve("data/.work"))) {
            return all.toList();
        }
    }

    @Test
    @Tag("REG-24")
    @Tag("REG-37")
    @Tag("PRC-20")
    void anAgentIsInstalledPinnedAndStarted() throws Exception {
        Installation installation = fixture.install("alpha");

        assertThat(installation.folder().getParent()).isEqualTo(folder.resolve("data/alpha"));
        assertThat(installation.folder().getFileName().toString()).matches("1\\.0\\.0-[0-9a-f]{16}");
        assertThat(left()).isEmpty();
        try (Agents agents = fixture.agents()) {
            Launch launch = agents.launch("alpha");
            try (var agent = Client.builder("test", "1").connect(launch)) {
                assertThat(agent.authMethods()).hasSize(1);
            }
            Pin pin = agents.pin("alpha").orElseThrow();
            Distribution.Archive archive = archive(pin);
            assertThat(archive.sha256()).hasSize(64);
            assertThat(archive.size()).isPositive();
            assertThat(pin.source()).isEqualTo(fixture.host.url(Fixture.INDEX));
            assertThat(agents.logins("alpha"))
                    .extracting(JsonObject::toString)
                    .containsExactly("{\"id\":\"key\",\"name\":\"Key\"}");
            assertThat(agents.hasCapability("alpha", "promptCapabilities.image"))
                    .isTrue();
            assertThat(agents.hasCapability("alpha", "mcpCapabilities.http")).isFalse();
        }
    }

    @Test
    @Tag("REG-38")
    void whatIsPinnedStaysWhateverTheIndexSays() throws Exception {
        Installation before = fixture.install("alpha");
        fixture.agent("alpha", "2.0.0");
        refresh();
        int asked = fixture.host.requests().size();

        assertThat(fixture.install("alpha").folder()).isEqualTo(before.folder());
        assertThat(fixture.host.requests()).hasSize(asked);

        fixture.withdraw("alpha");
        refresh();
        assertThat(fixture.install("alpha").folder()).isEqualTo(before.folder());
    }

    /** An entry whose archive is the same on two platforms; each has a digest. */
    private void onTwoPlatforms(String version, boolean hasDigests) throws Exception {
        fixture.agent("alpha", version);
        byte[] archive = Packed.of()
                .program("bin/agent", Fixture.AGENT)
                .file("version", version)
                .tarGz();
        fixture.host.file("/two-" + version + ".tar.gz", archive);
        String target = "{\"archive\":\"" + fixture.host.url("/two-" + version + ".tar.gz")
                + "\",\"cmd\":\"bin/agent\""
                + (hasDigests ? ",\"sha256\":\"" + Fixture.sha256(archive) + "\"}" : "}");
        fixture.entry(
                "alpha", version, "{\"binary\":{\"linux-x86_64\":" + target + ",\"linux-aarch64\":" + target + "}}");
        refresh();
    }

    private Path lockOfProject() throws Exception {
        Path project = Files.createDirectories(folder.resolve("project"));
        return Files.writeString(project.resolve(LockFile.NAME), "{\"lockVersion\":1}");
    }

    @Test
    @Tag("REG-38")
    void aPinWithoutThisPlatformIsNotReplaced() throws Exception {
        Path lock = lockOfProject();
        assertThat(fixture.install("alpha").version()).isEqualTo("1.0.0");
        String pinned = Files.readString(lock);
        onTwoPlatforms("2.1.0", true);
        fixture.settings = fixture.settings.platform(Platform.LINUX_AARCH64).data(folder.resolve("arm"));

        assertThatThrownBy(() -> fixture.install("alpha"))
                .hasMessageContaining("alpha 1.0.0 is pinned, but not for linux-aarch64")
                .hasMessageContaining("acp agents lock --all-platforms alpha")
                .hasMessageContaining("acp agents update alpha");

        assertThat(lock).hasContent(pinned);
    }

    @Test
    @Tag("REG-36")
    @Tag("REG-38")
    void installingWhatIsPinnedDoesNotWriteTheLock() throws Exception {
        Path lock = lockOfProject();
        onTwoPlatforms("1.1.0", true);
        assertThat(fixture.install("alpha").version()).isEqualTo("1.1.0");
        String pinned = Files.readString(lock);
        fixture.settings = fixture.settings.platform(Platform.LINUX_AARCH64).data(folder.resolve("arm"));

        assertThat(fixture.install("alpha").version()).isEqualTo("1.1.0");

        assertThat(lock).hasContent(pinned);
    }

    @Test
    @Tag("REG-37")
    void aLockOfAllPlatformsInstallsOnAnotherSystemWithoutAnIndex() throws Exception {
        Path lock = lockOfProject();
        StringBuilder targets = new StringBuilder();
        for (String platform : List.of("linux-x86_64", "darwin-aarch64", "windows-x86_64")) {
            String path = "/" + platform + ".tar.gz";
            fixture.host.file(
                    path,
                    Packed.of()
                            .program("bin/agent", Fixture.AGENT)
                            .file("system", platform)
                            .tarGz());
            targets.append(targets.isEmpty() ? "" : ",")
                    .append("\"" + platform + "\":{\"archive\":\"" + fixture.host.url(path)
                            + "\",\"cmd\":\"bin/agent\"}");
        }
        fixture.entry("alpha", "3.0.0", "{\"binary\":{" + targets + "}}");
        try (Agents agents = fixture.agents()) {
            Proposal all = agents.lockAll(agents.proposeAll("alpha", null), Agents.Consent.UNVERIFIED, Progress.NONE);
            Installation unused = agents.install(all, Agents.Consent.VERIFIED, agents.lockFile(), true, Progress.NONE);
        }
        String locked = Files.readString(lock);
        fixture.host.remove(Fixture.INDEX);

        for (Platform system : List.of(Platform.DARWIN_AARCH64, Platform.WINDOWS_AARCH64)) {
            fixture.settings =
                    fixture.settings.platform(system).indexes(List.of()).data(folder.resolve(system.id()));
            Installation installation = fixture.install("alpha");
            assertThat(installation.tree().resolve("system"))
                    .content()
                    .startsWith(system.id().substring(0, 6));
        }
        assertThat(lock).hasContent(locked);
    }

    @Test
    @Tag("REG-37")
    @Tag("REG-39")
    @Tag("REG-40")
    void anUpdateAndARollbackKeepAllPlatformsThatWereLocked() throws Exception {
        Path lock = lockOfProject();
        onTwoPlatforms("1.1.0", false);
        try (Agents agents = fixture.agents()) {
            LockFile file = agents.lockFile();
            Proposal one = agents.propose("alpha", null, false);
            Installation before = agents.install(one, Agents.Consent.UNVERIFIED, file, false, Progress.NONE);
            assertThat(before.pin().platforms()).containsExactly(Platform.LINUX_X86_64);
            Proposal all = agents.lockAll(agents.proposeAll("alpha", null), Agents.Consent.UNVERIFIED, Progress.NONE);
            Installation unused = agents.install(all, Agents.Consent.VERIFIED, file, false, Progress.NONE);
            String locked = Files.readString(lock);
            assertThat(locked).contains("linux-aarch64", "linux-x86_64");

            onTwoPlatforms("1.2.0", false);
            Proposal next = agents.propose("alpha", null, true);
            unused = agents.install(next, Agents.Consent.UNVERIFIED, file, false, Progress.NONE);

            Pin pin = agents.pin("alpha").orElseThrow();
            assertThat(pin.version()).isEqualTo("1.2.0");
            assertThat(pin.digest(Platform.LINUX_AARCH64)).hasSize(64);
            assertThat(pin.digest(Platform.LINUX_X86_64)).hasSize(64);

            assertThat(agents.rollback("alpha").verify()).isEmpty();
            assertThat(lock).hasContent(locked);
        }
    }

    /** A project whose lock starts the bytes of the index in its own way. */
    private Agents project(String name, String version, String command, String argument) throws Exception {
        byte[] archive = Packed.of()
                .program("bin/agent", Fixture.AGENT)
                .file("version", version)
                .tarGz();
        Path project = Files.createDirectories(folder.resolve(name));
        Files.writeString(
                project.resolve(LockFile.NAME),
                "{\"lockVersion\":1,\"agents\":{\"alpha\":{\"version\":\"" + version + "\",\"source\":\"s\","
                        + "\"distribution\":{\"binary\":{\"linux-x86_64\":{\"archive\":\""
                        + fixture.host.url("/alpha-" + version + ".tar.gz") + "\",\"cmd\":\"" + command
                        + "\",\"args\":[\"" + argument + "\"],\"env\":{\"BASE_URL\":\"" + argument
                        + "\"},\"sha256\":\"" + Fixture.sha256(archive) + "\"}}}}}}");
        return Agents.of(fixture.settings, project);
    }

    private static Installation add(Agents agents) throws Exception {
        return agents.install(
                agents.propose("alpha", null, false), Agents.Consent.VERIFIED, agents.lockFile(), false, Progress.NONE);
    }

    @Test
    @Tag("REG-37")
    @Tag("REG-38")
    void aPinStartsItsAgentItsOwnWayByWhateverPinTheBytesWereInstalled() throws Exception {
        try (Agents one = project("one", "1.0.0", "bin/agent", "evil");
                Agents two = project("two", "1.0.0", "./bin/agent", "good");
                Agents mine = fixture.agents()) {
            Path folder = add(one).folder();
            Pin pinned = two.pin("alpha").orElseThrow();
            assertThat(add(two).folder()).isEqualTo(folder);
            assertThat(two.pin("alpha")).hasValue(pinned);
            assertThat(add(mine).folder()).isEqualTo(folder);

            assertThat(one.launch("alpha").arguments()).containsExactly("evil");
            assertThat(one.launch("alpha").environment()).containsEntry("BASE_URL", "evil");
            assertThat(two.launch("alpha").arguments()).containsExactly("good");
            assertThat(two.launch("alpha").environment()).containsEntry("BASE_URL", "good");
            assertThat(mine.launch("alpha").arguments()).isEmpty();
            assertThat(mine.launch("alpha").environment()).doesNotContainKey("BASE_URL");
            assertThat(mine.userLockFile().path()).content().doesNotContain("evil", "good");

            fixture.agent("alpha", "0.9.0");
            project("one", "0.9.0", "bin/agent", "evil").close();
            Path older = add(one).folder();
            assertThatThrownBy(() -> mine.rollback("alpha")).hasMessageContaining("no version of alpha before 1.0.0");
            assertThatThrownBy(() -> mine.launch("alpha@0.9.0")).isInstanceOf(NotInstalledException.class);
            assertThat(one.launch("alpha@0.9.0").command()).startsWith(older.toString());
            assertThat(one.launch("alpha@1.0.0").arguments()).containsExactly("evil");
        }
    }

    private void refresh() throws Exception {
        try (Agents agents = fixture.agents()) {
            assertThat(agents.indexes(true)).hasSize(1);
        }
    }

    @Test
    @Tag("REG-17")
    void otherBytesThanTheDigestsAreNotUnpacked() throws Exception {
        fixture.host.file(
                "/alpha-1.0.0.tar.gz",
                Packed.of().program("bin/agent", "#!/bin/sh\necho other\n").tarGz());

        assertThatThrownBy(() -> fixture.install("alpha"))
                .isInstanceOf(RegistryException.class)
                .hasMessageContaining("expected SHA-256")
                .hasMessageContaining("may be stale");

        assertThat(left()).isEmpty();
        assertThat(folder.resolve("data/alpha")).doesNotExist();
    }

    @Test
    @Tag("REG-17")
    @Tag("REG-38")
    void aLockIsHonouredToTheByte() throws Exception {
        Installation first = fixture.install("alpha");
        try (Agents agents = fixture.agents()) {
            LockFile lock = agents.projectLockFile();
            Files.createDirectories(lock.path().getParent());
            agents.pin(first.pin(), lock);
        }
        fixture.settings = fixture.settings.data(folder.resolve("ci"));

        Installation second = fixture.install("alpha");
        assertThat(second.pin()).isEqualTo(first.pin());
        assertThat(second.folder().getFileName()).isEqualTo(first.folder().getFileName());

        fixture.settings = fixture.settings.data(folder.resolve("other"));
        fixture.host.file(
                "/alpha-1.0.0.tar.gz",
                Packed.of().program("bin/agent", Fixture.AGENT).tarGz());
        assertThatThrownBy(() -> fixture.install("alpha")).hasMessageContaining("expected SHA-256");
    }

    @Test
    @Tag("REG-18")
    void withoutADigestNothingIsFetchedUnlessItIsAllowed() throws Exception {
        fixture.agent("beta", "1.0.0", Fixture.AGENT, false);

        assertThatThrownBy(() -> fixture.install("beta")).isInstanceOf(UnverifiedException.class);
        assertThat(fixture.host.requests()).doesNotContain("GET /beta-1.0.0.tar.gz");

        Installation installation = fixture.install("beta", null, Agents.Consent.UNVERIFIED);
        assertThat(installation.pin().digest(Platform.LINUX_X86_64)).hasSize(64);
        fixture.settings = fixture.settings.data(folder.resolve("again"));
        try (Agents agents = fixture.agents()) {
            agents.pin(installation.pin(), agents.userLockFile());
        }
        assertThat(fixture.install("beta").pin()).isEqualTo(installation.pin());
    }

    @Test
    @Tag("REG-16")
    void aBrokenDownloadIsContinuedAndAFailingHostAskedAgain() throws Exception {
        elsewhere("first");
        fixture.host.breakNext(2);
        Installation installation = fixture.install("alpha");
        assertThat(installation.verify()).isEmpty();
        assertThat(fixture.host.requests())
                .filteredOn(request -> request.contains("bytes="))
                .hasSize(2);

        elsewhere("second");
        fixture.host.withoutRanges();
        fixture.host.breakNext(2);
        assertThat(fixture.install("alpha").verify()).isEmpty();

        elsewhere("third");
        fixture.host.failNext(2);
        assertThat(fixture.install("alpha").verify()).isEmpty();
    }

    private void elsewhere(String name) throws Exception {
        fixture.settings = fixture.settings.data(folder.resolve(name));
        try (Agents agents = fixture.agents()) {
            assertThat(agents.indexes(false)).hasSize(1);
        }
    }

    @Test
    @Tag("REG-16")
    void whatIsNotThereIsNotAskedForAgain() {
        fixture.host.remove("/alpha-1.0.0.tar.gz");

        assertThatThrownBy(() -> fixture.install("alpha")).hasMessageContaining("404");

        assertThat(fixture.host.requests())
                .filteredOn(request -> request.contains("tar.gz"))
                .hasSize(1);
    }

    @Test
    @Tag("REG-09")
    void aMirrorIsAskedAndTheOriginalPinned() throws Exception {
        String original = "https://agents.example/alpha.tar.gz";
        byte[] archive = Packed.of().program("bin/agent", Fixture.AGENT).tarGz();
        fixture.entry(
                "mirrored",
                "1.0.0",
                "{\"binary\":{\"linux-x86_64\":{\"archive\":\"" + original + "\",\"cmd\":\"bin/agent\",\"sha256\":\""
                        + Fixture.sha256(archive) + "\"}}}");
        fixture.host.file("/mirror/alpha.tar.gz", archive);
        fixture.settings = fixture.settings.mirror("https://agents.example/", fixture.host.url("/mirror/"));

        Installation installation = fixture.install("mirrored");

        assertThat(archive(installation.pin()).uri()).hasToString(original);
        fixture.settings = fixture.settings.data(folder.resolve("again"));
        fixture.host.file(
                "/mirror/alpha.tar.gz",
                Packed.of().program("bin/agent", "#!/bin/sh\n").tarGz());
        assertThatThrownBy(() -> fixture.install("mirrored")).hasMessageContaining("expected SHA-256");
    }

    @Test
    @Tag("REG-10")
    void aFolderInstallsWithoutANetwork() throws Exception {
        fixture.agent("beta", "1.0.0", Fixture.AGENT, false);
        try (Agents agents = fixture.agents()) {
            agents.mirror(folder.resolve("mirror"))
                    .copy(
                            List.of("alpha", "beta"),
                            List.of(Platform.values()),
                            Agents.Consent.UNVERIFIED,
                            Progress.NONE);
        }
        int asked = fixture.host.requests().size();
        String origin = fixture.host.url(Fixture.INDEX);
        fixture.settings = fixture.settings
                .indexes(List.of(folder.resolve("mirror").toString()))
                .offline(true);

        assertThat(fixture.install("beta").pin().source()).isEqualTo(origin);
        assertThat(fixture.install("alpha").verify()).isEmpty();
        assertThat(fixture.host.requests()).hasSize(asked);
    }

    private List<Mirror.Copied> mirror(String name, Platform platform, Agents.Consent consent) throws Exception {
        try (Agents agents = fixture.agents()) {
            return agents.mirror(folder.resolve("mirror"))
                    .copy(List.of(name), List.of(platform), consent, Progress.NONE);
        }
    }

    @Test
    @Tag("REG-10")
    @Tag("REG-18")
    void aMirrorTakesOnlyWhatIsVouchedForUnlessItIsAllowedAndKeepsWhatItHas() throws Exception {
        onTwoPlatforms("1.1.0", false);
        fixture.agent("beta", "1.0.0");
        refresh();
        int asked = fixture.host.requests().size();

        assertThatThrownBy(() -> mirror("alpha", Platform.LINUX_X86_64, Agents.Consent.VERIFIED))
                .isInstanceOf(UnverifiedException.class)
                .hasMessageContaining("alpha 1.1.0 for linux-x86_64");
        assertThat(fixture.host.requests()).hasSize(asked);
        assertThat(folder.resolve("mirror")).doesNotExist();

        assertThat(mirror("alpha", Platform.LINUX_X86_64, Agents.Consent.UNVERIFIED))
                .singleElement()
                .satisfies(copied -> assertThat(copied.unverified()).containsExactly(Platform.LINUX_X86_64));
        assertThat(mirror("beta", Platform.LINUX_X86_64, Agents.Consent.VERIFIED))
                .singleElement()
                .satisfies(copied -> assertThat(copied.unverified()).isEmpty());
        List<Mirror.Copied> unused = mirror("alpha", Platform.LINUX_AARCH64, Agents.Consent.UNVERIFIED);
        unused = mirror("alpha", Platform.LINUX_X86_64, Agents.Consent.VERIFIED);

        fixture.settings = fixture.settings
                .indexes(List.of(folder.resolve("mirror").toString()))
                .offline(true);
        assertThat(fixture.install("beta").verify()).isEmpty();
        for (Platform platform : List.of(Platform.LINUX_X86_64, Platform.LINUX_AARCH64)) {
            fixture.settings = fixture.settings.platform(platform).data(folder.resolve(platform.id()));
            assertThat(fixture.install("alpha").verify()).isEmpty();
        }
    }

    @Test
    @Tag("REG-10")
    void aMirrorOfAnotherIndexIsNotChanged() throws Exception {
        Files.createDirectories(folder.resolve("mirror"));
        Path file = Files.writeString(folder.resolve("mirror/registry.json"), Fixture.index(List.of()));

        assertThatThrownBy(() -> mirror("alpha", Platform.LINUX_X86_64, Agents.Consent.VERIFIED))
                .hasMessageContaining("no mirror of " + fixture.host.url(Fixture.INDEX));

        assertThat(file).hasContent(Fixture.index(List.of()));
    }

    @Test
    @Tag("REG-10")
    void iconsAreCopiedFromHostsAndFromBesideTheirEntries() throws Exception {
        Path index = folder.resolve("entries");
        fixture.host.file("/far.svg", "far".getBytes(StandardCharsets.UTF_8));
        for (String[] agent : new String[][] {
            {"near", "icon.svg"},
            {"far", fixture.host.url("/far.svg")},
            {"nosy", "../../nosy.svg"},
            {"bare", "none.svg"},
            {"sly", "link.svg"}
        }) {
            String entry = Fixture.entryText(agent[0], "1.0.0", "{\"npx\":{\"package\":\"" + agent[0] + "@1.0.0\"}}");
            Files.createDirectories(index.resolve(agent[0]));
            Files.writeString(
                    index.resolve(agent[0]).resolve("agent.json"),
                    entry.substring(0, entry.length() - 1) + ",\"icon\":\"" + agent[1] + "\"}");
        }
        Files.writeString(index.resolve("near/icon.svg"), "near");
        Files.writeString(folder.resolve("nosy.svg"), "not of the index");
        Files.createSymbolicLink(index.resolve("sly/link.svg"), folder.resolve("nosy.svg"));
        fixture.settings = fixture.settings.indexes(List.of(index.toString()));
        Path mirror = folder.resolve("mirror");
        try (Agents agents = fixture.agents()) {
            agents.mirror(mirror).copy(List.of(), List.of(Platform.values()), Agents.Consent.VERIFIED, Progress.NONE);
        }

        assertThat(mirror.resolve("near.svg")).hasContent("near");
        assertThat(mirror.resolve("far.svg")).hasContent("far");
        assertThat(mirror.resolve("nosy.svg")).doesNotExist();
        assertThat(mirror.resolve("sly.svg")).doesNotExist();
        assertThat(mirror.resolve("registry.json"))
                .content()
                .contains("\"near.svg\"", "\"far.svg\"", "\"../../nosy.svg\"", "\"none.svg\"");
    }

    @Test
    @Tag("REG-06")
    void offlineAnInstalledAgentStartsAndAnotherSaysWhatToDo() throws Exception {
        Installation installation = fixture.install("alpha");
        fixture.agent("beta", "1.0.0");
        fixture.settings = fixture.settings.offline(true);
        int asked = fixture.host.requests().size();

        assertThat(fixture.install("alpha").folder()).isEqualTo(installation.folder());
        try (Agents agents = fixture.agents()) {
            assertThat(agents.launch("alpha").command()).endsWith("bin/agent");
            assertThat(agents.indexes(true)).hasSize(1);
        }
        assertThatThrownBy(() -> fixture.install("beta")).isInstanceOf(UnknownAgentException.class);
        assertThat(fixture.host.requests()).hasSize(asked);
    }

    @Test
    @Tag("REG-40")
    void aVersionThatDoesNotAnswerIsNotPinned() throws Exception {
        Installation old = fixture.install("alpha");
        fixture.agent("alpha", "2.0.0", "#!/bin/sh\necho it is broken >&2\nexit 3\n", true);

        try (Agents agents = fixture.agents()) {
            List<Index> unused = agents.indexes(true);
            Proposal proposal = agents.propose("alpha", null, true);
            assertThat(proposal.pin().version()).isEqualTo("2.0.0");
            assertThatThrownBy(() ->
                            agents.install(proposal, Agents.Consent.VERIFIED, agents.lockFile(), true, Progress.NONE))
                    .hasMessageContaining("does not answer")
                    .hasMessageContaining("it is broken");
            assertThat(agents.installation("alpha").folder()).isEqualTo(old.folder());
            assertThatThrownBy(() -> agents.install(
                            agents.propose("alpha", null, true),
                            Agents.Consent.VERIFIED,
                            agents.lockFile(),
                            true,
                            Progress.NONE))
                    .as("the second time")
                    .hasMessageContaining("it is broken");
            assertThat(agents.installations()).extracting(Installation::version).containsExactly("1.0.0");
        }
    }

    @Test
    @Tag("REG-40")
    void twoVersionsStayAndRollbackGoesBack() throws Exception {
        Installation old = fixture.install("alpha");
        fixture.agent("alpha", "1.10.0");
        try (Agents agents = fixture.agents()) {
            List<Index> unused = agents.indexes(true);
            Installation next = agents.install(
                    agents.propose("alpha", null, true),
                    Agents.Consent.VERIFIED,
                    agents.lockFile(),
                    true,
                    Progress.NONE);
            assertThat(agents.installations()).extracting(Installation::version).containsExactly("1.10.0", "1.0.0");
            assertThat(agents.launch("alpha").command())
                    .startsWith(next.folder().toString());
            assertThat(agents.launch("alpha@1.0.0").command())
                    .startsWith(old.folder().toString());

            assertThat(agents.rollback("alpha").version()).isEqualTo("1.0.0");

            assertThat(agents.launch("alpha").command()).startsWith(old.folder().toString());
            assertThatThrownBy(() -> agents.rollback("alpha")).hasMessageContaining("no version of alpha before 1.0.0");
        }
    }

    @Test
    @Tag("REG-25")
    void whatWasChangedIsNamed() throws Exception {
        Installation installation = fixture.install("alpha");
        assertThat(installation.verify()).isEmpty();

        Files.writeString(installation.tree().resolve("bin/agent"), "other");
        Files.writeString(installation.tree().resolve("more"), "more");
        Files.delete(installation.tree().resolve("version"));

        assertThat(installation.verify()).containsExactly("changed: bin/agent", "added: more", "deleted: version");
    }

    @Test
    @Tag("REG-25")
    @Tag("REG-27")
    void pythonLeavesNothingBesideItsSourcesAndWhatIsThereIsNamed() throws Exception {
        Assumptions.assumeTrue(isThere("python3"), "there is no Python");
        fixture.entry("snake", "1.0.0", "{\"uvx\":{\"package\":\"snake==1.0.0\"}}");
        Installation installation;
        try (Agents agents = fixture.agents()) {
            Pin pin = agents.propose("snake", null, false).pin().with(JsonObject.of(Map.of()));
            // As uv leaves it, which may not be here.
            Store store = new Store(folder.resolve("data"));
            installation = store.locked(
                    "snake",
                    () -> store.add("snake", made -> {
                        Path bin = Files.createDirectories(made.resolve("tree/environment/bin"));
                        Files.writeString(bin.resolve("part.py"), "name = 'part'");
                        Path program = Files.writeString(
                                bin.resolve("snake"), "#!/usr/bin/env python3\nimport part\nprint(part.name)\n");
                        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
                        Installation.writeReceipt(made, pin, "tree/environment/bin/snake", List.of(), Map.of());
                        return Installation.folderName("1.0.0", "0".repeat(64));
                    }));

            Launch launch = agents.launch(installation);
            ProcessBuilder builder = new ProcessBuilder(launch.command());
            builder.environment().clear();
            builder.environment().putAll(launch.environment());
            Process python = builder.start();
            assertThat(python.inputReader().readLine()).isEqualTo("part");
            assertThat(python.waitFor()).isZero();
        }

        assertThat(installation.verify()).isEmpty();
        Path cache = Files.createDirectories(installation.tree().resolve("environment/bin/__pycache__"));
        Files.writeString(cache.resolve("part.cpython-312.pyc"), "evil");
        assertThat(installation.verify()).containsExactly("added: environment/bin/__pycache__/part.cpython-312.pyc");
    }

    private static boolean isThere(String program) {
        try {
            return Launch.of(program).program().isAbsolute();
        } catch (LaunchException e) {
            return false;
        }
    }

    @Test
    @Tag("REG-25")
    void aFolderThatOthersCanWriteToIsRefused() throws Exception {
        Path data = Files.createDirectories(folder.resolve("data"));
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxrwxrwx"));

        assertThatThrownBy(() -> fixture.install("alpha")).hasMessageContaining("chmod go-w");
    }

    @Test
    @Tag("REG-25")
    void whatOthersCouldHaveChangedIsNotStarted() throws Exception {
        Installation installation = fixture.install("alpha");
        Path agent = folder.resolve("data/alpha");
        for (Path each : List.of(folder.resolve("data"), agent, installation.folder())) {
            Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwx---rwx"));
            try (Agents agents = fixture.agents()) {
                assertThatThrownBy(() -> agents.launch("alpha")).hasMessageContaining("chmod go-w " + each);
            }
            Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwx------"));
        }
        try (Agents agents = fixture.agents()) {
            assertThat(agents.launch("alpha").command()).endsWith("bin/agent");

            UserPrincipal nobody =
                    folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
            Assumptions.assumeTrue(isGivenTo(agent, nobody), "only root gives folders away");
            assertThatThrownBy(() -> agents.launch("alpha")).hasMessageContaining("belongs to the user nobody");
        }
    }

    private static boolean isGivenTo(Path file, UserPrincipal user) {
        try {
            Path unused = Files.setOwner(file, user);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    @Tag("REG-24")
    void whatCannotBeUnpinnedIsNotDeleted() throws Exception {
        Installation installation = fixture.install("alpha");
        try (Agents agents = fixture.agents()) {
            String name = "lockfile-"
                    + Digests.of(agents.userLockFile().path().toString()).substring(0, 16);
            Files.delete(folder.resolve("data/.locks").resolve(name));
            Files.createDirectory(folder.resolve("data/.locks").resolve(name));

            assertThatThrownBy(() -> agents.remove("alpha")).isInstanceOf(IOException.class);

            assertThat(agents.pin("alpha")).isPresent();
            assertThat(agents.installation("alpha")).isEqualTo(installation);
        }
    }

    @Test
    @Tag("REG-40")
    void whatAKilledAttemptLeftIsStartedBeforeItIsPinned() throws Exception {
        fixture.agent("alpha", "2.0.0", "#!/bin/sh\necho it is broken >&2\nexit 3\n", true);
        try (Agents agents = fixture.agents()) {
            Proposal proposal = agents.propose("alpha", null, false);
            // Killed while the agent is started, it is there and not pinned.
            Installation unused = agents.install(
                    proposal,
                    Agents.Consent.VERIFIED,
                    new LockFile(folder.resolve("elsewhere"), folder.resolve("data/.locks"), true),
                    false,
                    Progress.NONE);
            assertThat(agents.installations()).hasSize(1);

            assertThatThrownBy(() -> fixture.install("alpha")).hasMessageContaining("it is broken");

            assertThat(agents.pin("alpha")).isEmpty();
        }
    }

    @Test
    @Tag("REG-40")
    void rollbackGoesToAVersionThatIsNamed() throws Exception {
        Installation unused = fixture.install("alpha");
        fixture.agent("alpha", "0.9.0");
        refresh();
        try (Agents agents = fixture.agents()) {
            Proposal proposal = agents.propose("alpha", null, true);
            assertThat(proposal.isLower()).isTrue();
            unused = agents.install(proposal, Agents.Consent.VERIFIED, agents.lockFile(), false, Progress.NONE);

            assertThatThrownBy(() -> agents.rollback("alpha")).hasMessageContaining("there is 1.0.0, 0.9.0");
            assertThatThrownBy(() -> agents.rollback("alpha@3.0.0")).hasMessageContaining("no version 3.0.0");
            assertThat(agents.rollback("alpha@1.0.0").version()).isEqualTo("1.0.0");
            assertThat(agents.installation("alpha").version()).isEqualTo("1.0.0");
        }
    }

    @Test
    @Tag("REG-41")
    void onlyFoldersWithOurReceiptAreDeleted() throws Exception {
        Installation installation = fixture.install("alpha");
        Path precious = Files.createDirectories(folder.resolve("data/alpha/precious"));
        Path file = Files.writeString(precious.resolve("file"), "x");
        Path outside = Files.createDirectories(folder.resolve("outside"));
        Files.writeString(
                outside.resolve(Installation.RECEIPT),
                Files.readString(installation.folder().resolve(Installation.RECEIPT)));
        Files.createSymbolicLink(folder.resolve("data/alpha/linked"), outside);

        try (Agents agents = fixture.agents()) {
            assertThat(agents.remove("alpha")).isPositive();
            assertThat(agents.pin("alpha")).isEmpty();
        }

        assertThat(installation.folder()).doesNotExist();
        assertThat(file).exists();
        assertThat(outside.resolve(Installation.RECEIPT)).exists();
    }

    @Test
    @Tag("REG-24")
    @Tag("REG-41")
    void aDamagedReceiptIsNamedAndStopsNothingElse() throws Exception {
        fixture.agent("beta", "1.0.0");
        Installation alpha = fixture.install("alpha");
        Installation beta = fixture.install("beta");
        Files.write(alpha.folder().resolve(Installation.RECEIPT), new byte[] {'{', (byte) 0xff});

        try (Agents agents = fixture.agents()) {
            assertThat(agents.installations()).containsExactly(beta);
            assertThat(agents.damaged()).containsExactly(alpha.folder());
            assertThat(agents.launch("beta").command()).endsWith("bin/agent");
            assertThatThrownBy(() -> agents.launch("alpha")).isInstanceOf(NotInstalledException.class);
            assertThat(agents.remove("beta")).isPositive();
        }
        assertThat(fixture.install("alpha").verify()).isEmpty();
        try (Agents agents = fixture.agents()) {
            assertThat(agents.damaged()).isEmpty();
        }
    }

    @Test
    @Tag("REG-41")
    void pruneDeletesWhatIsNotPinned() throws Exception {
        Installation first = fixture.install("alpha");
        for (String version : List.of("1.1.0", "1.2.0", "1.3.0")) {
            fixture.agent("alpha", version);
            try (Agents agents = fixture.agents()) {
                List<Index> unused = agents.indexes(true);
                Installation made = agents.install(
                        agents.propose("alpha", null, true),
                        Agents.Consent.VERIFIED,
                        agents.lockFile(),
                        false,
                        Progress.NONE);
                assertThat(made.version()).isEqualTo(version);
            }
        }

        try (Agents agents = fixture.agents()) {
            Map<Installation, Long> freed = agents.prune(1);

            assertThat(freed.keySet()).extracting(Installation::version).containsExactly("1.1.0", "1.0.0");
            assertThat(freed).containsKey(first);
            assertThat(agents.installations()).extracting(Installation::version).containsExactly("1.3.0", "1.2.0");
        }
    }

    @Test
    @Tag("REG-24")
    void eightAtOnceEndInOneGoodVersion() throws Exception {
        List<Future<Installation>> all = new ArrayList<>();
        try (var threads = Executors.newFixedThreadPool(8)) {
            for (int i = 0; i < 8; i++) {
                all.add(threads.submit(() -> fixture.install("alpha")));
            }
        }

        for (Future<Installation> each : all) {
            assertThat(each.get().verify()).isEmpty();
        }
        try (Agents agents = fixture.agents()) {
            assertThat(agents.installations()).hasSize(1);
        }
        assertThat(fixture.host.requests())
                .filteredOn(request -> request.contains("tar.gz"))
                .hasSize(1);
    }

    @Test
    @Tag("REG-33")
    void variablesThatChangeWhatRunsAreDropped() throws Exception {
        fixture.entry(
                "env",
                "1.0.0",
                "{\"binary\":{\"linux-x86_64\":{\"archive\":\"" + fixture.host.url("/alpha-1.0.0.tar.gz")
                        + "\",\"cmd\":\"bin/agent\",\"env\":{\"AGENT_MODE\":\"fast\",\"LD_PRELOAD\":\"x\",\"PATH\":\"/x\","
                        + "\"NODE_OPTIONS\":\"x\",\"Home\":\"/x\"}}}}");

        Installation installation = fixture.install("env", null, Agents.Consent.UNVERIFIED);

        try (Agents agents = fixture.agents()) {
            assertThat(agents.launch(installation).declared()).containsOnly(Map.entry("AGENT_MODE", "fast"));
            assertThat(agents.propose("env", null, false).notices())
                    .anyMatch(notice -> notice.contains("Home, LD_PRELOAD, NODE_OPTIONS, PATH"));
        }
        assertThat(Agents.refusedVariables(installation)).containsExactly("Home", "LD_PRELOAD", "NODE_OPTIONS", "PATH");
    }

    @Test
    @Tag("REG-33")
    void theVariablesOfTheUserWin() throws Exception {
        String ours = System.getenv().keySet().stream()
                .filter(Variables::mayBeSet)
                .findFirst()
                .orElseThrow();
        fixture.entry(
                "env",
                "1.0.0",
                "{\"binary\":{\"linux-x86_64\":{\"archive\":\"" + fixture.host.url("/alpha-1.0.0.tar.gz")
                        + "\",\"cmd\":\"bin/agent\",\"env\":{\"" + ours
                        + "\":\"of the entry\",\"NOBODYS\":\"of the entry\"}}}}");

        Installation installation = fixture.install("env", null, Agents.Consent.UNVERIFIED);

        try (Agents agents = fixture.agents()) {
            assertThat(agents.launch(installation).environment())
                    .containsEntry(ours, System.getenv(ours))
                    .containsEntry("NOBODYS", "of the entry");
        }
    }

    @Test
    @Tag("REG-34")
    void valuesOfTheUserAreInNoLockReceiptOrMessage() throws Exception {
        Installation installation = fixture.install("alpha");
        try (Agents agents = fixture.agents()) {
            agents.set("alpha", "AGENT_KEY", "s3cret");
            agents.setFromCommand("alpha", "OTHER_KEY", List.of("echo", "from-a-command"));
            agents.setFromVariable("alpha", "SEARCH", "PATH");

            assertThat(agents.launch("alpha").declared())
                    .containsEntry("AGENT_KEY", "s3cret")
                    .containsEntry("OTHER_KEY", "from-a-command")
                    .containsEntry("SEARCH", System.getenv("PATH"));
            assertThat(agents.launch("alpha").toString()).doesNotContain("s3cret");
            assertThat(agents.variables("alpha"))
                    .containsEntry("AGENT_KEY", "stored")
                    .containsEntry("OTHER_KEY", "a command");
            assertThat(agents.userLockFile().path()).content().doesNotContain("s3cret");
        }
        assertThat(installation.folder().resolve(Installation.RECEIPT))
                .content()
                .doesNotContain("s3cret");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("data/values.json"))))
                .isEqualTo("rw-------");
    }

    @Test
    @Tag("REG-23")
    void anInterpreterComesFromTheSearchPathAndItsFileFromTheArchive() throws Exception {
        fixture.host.file(
                "/script.tar.gz", Packed.of().file("dist/index.js", "//").tarGz());
        fixture.entry(
                "script",
                "1.0.0",
                "{\"binary\":{\"linux-x86_64\":{\"archive\":\"" + fixture.host.url("/script.tar.gz")
                        + "\",\"cmd\":\"node\",\"args\":[\"./dist/index.js\",\"--acp\",\"none.js\"]}}}");
        try (Agents agents = fixture.agents()) {
            Installation installation = agents.install(
                    agents.propose("script", null, false),
                    Agents.Consent.UNVERIFIED,
                    agents.lockFile(),
                    false,
                    Progress.NONE);

            Launch launch = agents.launch(installation);
            assertThat(launch.command()).isEqualTo("node");
            assertThat(launch.arguments())
                    .containsExactly(
                            installation.tree().resolve("dist/index.js").toString(), "--acp", "none.js");
        }
    }

    @Test
    @Tag("REG-32")
    void aMissingAgentSaysWhatToType() throws Exception {
        try (Agents agents = fixture.agents()) {
            assertThatThrownBy(() -> agents.launch("alpha"))
                    .isInstanceOf(NotInstalledException.class)
                    .hasMessageContaining("acp agents add alpha");
        }
        assertThat(fixture.host.requests()).isEmpty();
    }
}
