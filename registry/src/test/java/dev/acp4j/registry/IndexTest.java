package dev.acp4j.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read of indexes, and when their hosts are asked. */
@Timeout(60)
class IndexTest {
    private static final String NPX = "{\"npx\":{\"package\":\"p@1.0.0\"}}";

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private Fixture fixture;

    @BeforeEach
    void start() throws Exception {
        fixture = new Fixture(folder);
        fixture.entry("one", "1.0.0", NPX);
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private Index read(boolean refresh) throws Exception {
        try (Agents agents = fixture.agents()) {
            return agents.indexes(refresh).getFirst();
        }
    }

    private static Index parse(String text) throws Exception {
        return Index.parse(text.getBytes(StandardCharsets.UTF_8), "test", Instant.EPOCH);
    }

    @Test
    @Tag("REG-01")
    void anIndexAnEntryAndAFolderAreRead() throws Exception {
        String entry = Fixture.entryText("two", "2.0.0", NPX).replace("\"license\"", "\"mascot\":\"owl\",\"license\"");
        Path file = Files.writeString(folder.resolve("agent.json"), entry);
        Path tree = Files.createDirectories(folder.resolve("registry/two"));
        Files.writeString(tree.resolve("agent.json"), entry);
        Files.createDirectories(folder.resolve("registry/.git"));
        fixture.settings = fixture.settings.indexes(List.of(
                fixture.host.url(Fixture.INDEX),
                file.toString(),
                folder.resolve("registry").toString()));

        try (Agents agents = fixture.agents()) {
            List<Index> indexes = agents.indexes(false);

            assertThat(indexes)
                    .flatExtracting(Index::agents)
                    .extracting(AgentEntry::id)
                    .containsExactly("one", "two", "two");
            assertThat(indexes.get(1).agents().getFirst().json().text("mascot")).hasValue("owl");
        }
    }

    @Test
    @Tag("REG-02")
    void aBadEntryIsLeftOutAndNamed() throws Exception {
        Index index = parse(Fixture.index(List.of(
                Fixture.entryText("good", "1.0.0", NPX),
                Fixture.entryText("kind", "1.0.0", "{\"snap\":{}}"),
                Fixture.entryText(
                        "platform",
                        "1.0.0",
                        "{\"binary\":{\"plan9-mips\":{\"archive\":\"https://h/a\",\"cmd\":\"a\"}}}"),
                Fixture.entryText("latest", "1.0.0", "{\"npx\":{\"package\":\"p@latest\"}}"),
                Fixture.entryText(
                        "out",
                        "1.0.0",
                        "{\"binary\":{\"linux-x86_64\":{\"archive\":\"https://h/a\",\"cmd\":\"../a\"}}}"),
                "{\"id\":\"half\"}",
                "{\"id\":7}",
                "7")));

        assertThat(index.agents()).extracting(AgentEntry::id).containsExactly("good");
        assertThat(index.problems())
                .extracting(Index.Problem::toString)
                .hasSize(7)
                .anyMatch(problem -> problem.contains("kind: distribution: unknown kind snap"))
                .anyMatch(problem -> problem.contains("platform: distribution.binary.plan9-mips"))
                .anyMatch(problem -> problem.contains("latest: distribution.npx.package: expected an exact version"))
                .anyMatch(problem -> problem.contains("half: "));
    }

    @Test
    @Tag("REG-02")
    void theIdOfAnEntryThatIsLeftOutIsNotReadOutOfAnother() throws Exception {
        Index index = parse(Fixture.index(List.of("{\"id\":\"alpha: beta\"}", "{\"id\":\"half\"}")));

        assertThat(index.problem("alpha")).isEmpty();
        assertThat(index.problem("half")).isPresent();
        assertThat(index.problems()).extracting(Index.Problem::id).containsExactly("alpha: beta", "half");
    }

    @Test
    @Tag("REG-02")
    void anotherMajorVersionIsRefused() {
        assertThatThrownBy(() -> parse("{\"version\":\"2.0.0\",\"agents\":[]}"))
                .isInstanceOf(RegistryException.class)
                .hasMessageContaining("version 2.0.0");
    }

    @ParameterizedTest
    @Tag("REG-15")
    @ValueSource(
            strings = {
                "p@latest",
                "p@^1.0.0",
                "p@1",
                "p@1.x",
                "p@>=1.0.0",
                "p@next",
                "git+https://h/p.git",
                "https://h/p.tgz",
                "file:../p",
                "github:o/p",
                "../p",
                "p@npm:other@1.0.0",
                "p@1.0.0 --evil",
                "-g"
            })
    void inexactPackagesOfNpmAreRefused(String text) throws Exception {
        assertThat(parse(Fixture.index(
                                List.of(Fixture.entryText("a", "1.0.0", "{\"npx\":{\"package\":\"" + text + "\"}}"))))
                        .agents())
                .isEmpty();
    }

    @Test
    @Tag("REG-15")
    void aPackageWithoutAVersionGetsThatOfTheEntry() throws Exception {
        Index index = parse(Fixture.index(List.of(
                Fixture.entryText("a", "1.2.3", "{\"npx\":{\"package\":\"@s/p\"}}"),
                Fixture.entryText("b", "1.2.3", "{\"uvx\":{\"package\":\"p[x]\"}}"),
                Fixture.entryText("c", "1.2.3", "{\"uvx\":{\"package\":\"p>=1\"}}"))));

        assertThat(index.agents())
                .flatExtracting(AgentEntry::distributions)
                .extracting(each -> ((Distribution.Packaged) each).text())
                .containsExactly("@s/p@1.2.3", "p[x]==1.2.3");
    }

    @Test
    @Tag("REG-03")
    void onlyTlsIsFollowedAndNotForEver() throws Exception {
        fixture.host.redirect("/away", "http://example.com/registry.json");
        fixture.host.redirect("/loop", fixture.host.url("/loop"));
        fixture.host.file("/big", new byte[(1 << 20) + 1]);

        for (String[] each : List.of(
                new String[] {"/away", "only https is fetched"},
                new String[] {"/loop", "more than 5 times"},
                new String[] {"/big", "more than 1048576 bytes"})) {
            fixture.settings = fixture.settings.indexes(List.of(fixture.host.url(each[0])));
            assertThatThrownBy(() -> read(false)).hasMessageContaining(each[1]);
        }
        fixture.settings = fixture.settings.indexes(List.of("http://agents.example/registry.json"));
        assertThatThrownBy(() -> read(false)).hasMessageContaining("only https is fetched");
    }

    @Test
    @Tag("REG-03")
    @Timeout(15)
    void aHostThatNeverAnswersHasTheTimeOfAnIndexAndNoMore() {
        Limits limits = fixture.settings.limits();
        fixture.settings = fixture.settings.limits(new Limits(
                limits.index(),
                Duration.ofMillis(500),
                limits.archive(),
                limits.total(),
                limits.file(),
                limits.entries(),
                limits.path(),
                limits.silence(),
                limits.retries(),
                limits.pause()));
        fixture.host.redirect(Fixture.INDEX, fixture.host.url("/silent"));
        fixture.host.hold("/silent");

        assertThatThrownBy(() -> read(false)).hasMessageContaining("timed out");
    }

    @Test
    @Tag("REG-04")
    void anHourPassesBeforeTheHostIsAskedAgain() throws Exception {
        Index unused = read(false);
        unused = read(false);
        fixture.later(Duration.ofMinutes(59));
        unused = read(false);
        assertThat(fixture.host.requests()).containsExactly("GET /registry.json");

        fixture.later(Duration.ofMinutes(2));
        assertThat(read(false).agents()).hasSize(1);
        assertThat(read(false).agents()).hasSize(1);
        assertThat(fixture.host.requests()).containsExactly("GET /registry.json", "GET /registry.json if-none-match");

        unused = read(true);
        assertThat(fixture.host.requests()).hasSize(3);
    }

    @ParameterizedTest
    @Tag("REG-05")
    @ValueSource(strings = {"fail", "cut", "garbled", "gone", "empty", "other"})
    void aFailureNeverTakesThePlaceOfAGoodCopy(String failure) throws Exception {
        Index unused = read(false);
        switch (failure) {
            case "fail" -> fixture.host.failNext(1);
            case "cut" -> {
                fixture.entry("two", "1.0.0", NPX);
                fixture.host.breakNext(1);
            }
            case "garbled" -> fixture.host.file(Fixture.INDEX, "{\"version\":\"1.0.0\",\"agents\":[");
            case "gone" -> fixture.host.remove(Fixture.INDEX);
            case "empty" -> fixture.host.file(Fixture.INDEX, "");
            default -> fixture.host.file(Fixture.INDEX, "{\"version\":\"3.0.0\",\"agents\":[]}");
        }

        Index kept = read(true);

        assertThat(kept.agents()).extracting(AgentEntry::id).containsExactly("one");
        assertThat(kept.staleness()).isNotEmpty();
        assertThat(kept.asOf()).isEqualTo("2026-11-01T12:00:00Z");
        fixture.settings = fixture.settings.offline(true);
        assertThat(read(false).agents()).extracting(AgentEntry::id).containsExactly("one");
    }

    @Test
    @Tag("REG-05")
    void aDamagedCopyIsFetchedAgain() throws Exception {
        Index unused = read(false);
        try (var files = Files.list(folder.resolve("cache"))) {
            Files.writeString(files.findFirst().orElseThrow(), "damaged");
        }

        assertThat(read(false).agents()).hasSize(1);
        assertThat(fixture.host.requests()).hasSize(2);
    }

    @Test
    @Tag("REG-05")
    @Tag("REG-06")
    void withoutACopyTheReasonIsSaid() {
        fixture.settings = fixture.settings.offline(true);

        assertThatThrownBy(() -> read(false))
                .isInstanceOf(RegistryException.class)
                .hasMessageContaining("online once");
        assertThat(fixture.host.requests()).isEmpty();
    }

    @ParameterizedTest
    @Tag("REG-05")
    @CsvSource(
            delimiter = '|',
            value = {
                "https://nowhere.invalid/registry.json|nowhere.invalid cannot be reached: its name is unknown here",
                "http://127.0.0.1:1/registry.json|127.0.0.1 cannot be reached: nothing listens there",
            })
    void whyAHostCannotBeReachedIsSaidInPlainWords(String index, String why) {
        fixture.settings = fixture.settings.indexes(List.of(index));

        assertThatThrownBy(() -> read(false))
                .isInstanceOf(RegistryException.class)
                .hasMessageContaining(why);
    }

    @Test
    @Tag("REG-07")
    void theFirstIndexCountsAndNoOtherIsAskedUnlessItIsNamed() throws Exception {
        Path own = Files.writeString(
                folder.resolve("own.json"), Fixture.index(List.of(Fixture.entryText("one", "9.0.0", NPX))));
        fixture.settings = fixture.settings.indexes(List.of(own.toString(), fixture.host.url(Fixture.INDEX)));

        int asked = fixture.host.requests().size();
        try (Agents agents = fixture.agents()) {
            assertThat(agents.propose("one", null, false).pin().version()).isEqualTo("9.0.0");
            assertThat(fixture.host.requests()).hasSize(asked);
            assertThat(agents.indexes(false))
                    .allSatisfy(index -> assertThat(index.agent("one")).isPresent());
        }

        int before = fixture.host.requests().size();
        fixture.settings = fixture.settings.indexes(List.of(own.toString()));
        try (Agents agents = fixture.agents()) {
            assertThat(agents.propose("one", null, false).pin().source()).isEqualTo("file:own.json");
        }
        assertThat(fixture.host.requests()).hasSize(before);
    }

    @Test
    @Tag("REG-08")
    void aTokenGoesToItsHostOnly() throws Exception {
        try (Host other = new Host()) {
            other.file("/registry.json", Fixture.index(List.of()));
            fixture.host.redirect("/moved", other.url("/registry.json"));
            fixture.host.requireToken("s3cret");
            fixture.settings = fixture.settings.token("127.0.0.1:" + fixture.host.port(), () -> Optional.of("s3cret"));

            assertThat(read(false).agents()).hasSize(1);
            fixture.settings = fixture.settings.indexes(List.of(fixture.host.url("/moved")));
            assertThat(read(false).agents()).isEmpty();

            assertThat(fixture.host.requests()).allMatch(request -> request.endsWith("Bearer s3cret"));
            assertThat(other.requests()).containsExactly("GET /registry.json");
        }
    }

    @Test
    @Tag("REG-08")
    void aMissingTokenIsNamedAndNoTokenIsInAMessage() {
        fixture.host.requireToken("s3cret");

        assertThatThrownBy(() -> read(false)).hasMessageContaining("401").hasMessageContaining("token");

        fixture.settings = fixture.settings.token("127.0.0.1:" + fixture.host.port(), () -> Optional.of("wr0ng"));
        assertThatThrownBy(() -> read(false))
                .satisfies(failure -> assertThat(failure.toString()).doesNotContain("wr0ng"));
    }

    @Test
    @Tag("REG-08")
    void noMessageAndNoPinHasWhatMayBeSecretInAnAddress() throws Exception {
        fixture.host.redirect("/moved", fixture.host.url("/gone?signature=s3cret"));
        String bare = fixture.host.url("/registry.json").replace("http://", "http://me:s3cret@");
        for (String source : List.of(
                bare,
                bare.replace("s3cret@", "s3^cret@"),
                "http://me:s3cret@far.example/registry.json?key=s3cret",
                fixture.host.url("/moved?key=s3cret"),
                fixture.host.url("/gone?key=s3cret"))) {
            fixture.settings = fixture.settings.indexes(List.of(source));
            assertThatThrownBy(() -> read(false))
                    .hasMessageContaining("cannot read the index http://")
                    .satisfies(failure ->
                            assertThat(failure.getMessage()).doesNotContain("s3cret", "s3^cret", "me:", "signature"));
        }
        assertThat(Addresses.shown("https://h.example/@scope/a@1")).isEqualTo("https://h.example/@scope/a@1");

        fixture.settings = fixture.settings.indexes(List.of(fixture.host.url("/registry.json?key=s3cret")));
        assertThat(read(false).source()).isEqualTo(fixture.host.url("/registry.json"));
        try (Agents agents = fixture.agents()) {
            assertThat(agents.propose("one", null, false).pin().source()).isEqualTo(fixture.host.url("/registry.json"));
        }
    }
}
