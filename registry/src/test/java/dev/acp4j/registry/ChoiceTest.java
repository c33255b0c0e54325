package dev.acp4j.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which agent, which platform and which kind are chosen. */
@Timeout(60)
class ChoiceTest {
    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private Fixture fixture;

    @BeforeEach
    void start() throws Exception {
        fixture = new Fixture(folder);
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    @ParameterizedTest
    @Tag("REG-11")
    @CsvSource({
        "claude-acp, claude-acp",
        "claude, claude-acp",
        "codex, codex-acp",
        "copilot, github-copilot-cli",
        "gem, gemini",
        "g, ''",
        "goose, goose",
        "missing, ''"
    })
    void aNameIsAnIdAShortNameOrABeginning(String name, String id) throws Exception {
        List<String> ids =
                List.of("claude-acp", "claude-other", "codex-acp", "github-copilot-cli", "gemini", "goose", "goose-x");

        if (id.isEmpty()) {
            assertThatThrownBy(() -> Names.resolve(name, ids)).isInstanceOf(UnknownAgentException.class);
        } else {
            assertThat(Names.resolve(name, ids)).isEqualTo(id);
        }
    }

    @ParameterizedTest
    @Tag("REG-11")
    @ValueSource(
            strings = {"../x", "a/b", "..", ".", "", "A", "a b", "a\\b", "C:", "-a", "a\u0000", "values.json", ".locks"
            })
    void whatIsNoIdNeverBecomesAPath(String name) throws Exception {
        try (Agents agents = fixture.agents()) {
            assertThatThrownBy(() -> agents.launch(name)).isInstanceOf(UnknownAgentException.class);
            assertThatThrownBy(() -> agents.remove(name)).isInstanceOf(UnknownAgentException.class);
        }
        assertThatThrownBy(() -> new Store(folder).of(name)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @Tag("REG-13")
    @CsvSource({
        "Linux, amd64, linux-x86_64",
        "Linux, x86_64, linux-x86_64",
        "Linux, aarch64, linux-aarch64",
        "Linux, arm64, linux-aarch64",
        "Mac OS X, aarch64, darwin-aarch64",
        "Mac OS X, x86_64, darwin-x86_64",
        "Darwin, arm64, darwin-aarch64",
        "Windows 11, amd64, windows-x86_64",
        "Windows Server 2025, aarch64, windows-aarch64",
        "Linux, riscv64, ''",
        "Linux, i386, ''",
        "SunOS, amd64, ''"
    })
    void thePlatformIsFoundByAllNames(String system, String processor, String id) {
        assertThat(Platform.of(system, processor).map(Platform::id).orElse("")).isEqualTo(id);
    }

    private void binary(String... platforms) {
        StringBuilder targets = new StringBuilder();
        for (String platform : platforms) {
            targets.append(targets.isEmpty() ? "" : ",")
                    .append("\"" + platform + "\":{\"archive\":\"https://h.example/" + platform
                            + ".zip\",\"cmd\":\"a\"}");
        }
        fixture.entry(
                "agent",
                "1.0.0",
                "{\"npx\":{\"package\":\"p\"},\"uvx\":{\"package\":\"q\"},\"binary\":{" + targets + "}}");
    }

    private Proposal propose(Platform platform) throws Exception {
        fixture.settings = fixture.settings.platform(platform);
        try (Agents agents = fixture.agents()) {
            return agents.propose("agent", null, false);
        }
    }

    @Test
    @Tag("REG-13")
    void armTakesTheOtherProcessorsProgramWithANotice() throws Exception {
        binary("darwin-x86_64", "windows-x86_64", "linux-x86_64");

        for (Platform platform : List.of(Platform.DARWIN_AARCH64, Platform.WINDOWS_AARCH64)) {
            Proposal proposal = propose(platform);
            assertThat(proposal.pin().distribution().kind()).isEqualTo(Distribution.Kind.BINARY);
            assertThat(proposal.notices()).anyMatch(notice -> notice.contains("which is slower"));
        }
        assertThat(propose(Platform.DARWIN_X86_64).notices()).isEmpty();
        assertThat(propose(Platform.LINUX_AARCH64).pin().distribution().kind()).isEqualTo(Distribution.Kind.NPX);
    }

    @Test
    @Tag("REG-13")
    void muslIsSaid() throws Exception {
        binary("linux-x86_64");
        Files.createDirectories(folder.resolve("system/lib"));
        assertThat(Platform.hasMusl(folder.resolve("system"))).isFalse();
        Files.createFile(folder.resolve("system/lib/ld-musl-x86_64.so.1"));
        assertThat(Platform.hasMusl(folder.resolve("system"))).isTrue();

        fixture.settings = fixture.settings.musl(true);

        assertThat(propose(Platform.LINUX_X86_64).notices()).anyMatch(notice -> notice.contains("musl"));
    }

    @Test
    @Tag("REG-13")
    void withoutABuildTheOnesThereAreAreSaid() {
        fixture.entry(
                "agent", "1.0.0", "{\"binary\":{\"linux-x86_64\":{\"archive\":\"https://h/a.zip\",\"cmd\":\"a\"}}}");

        assertThatThrownBy(() -> propose(Platform.WINDOWS_X86_64))
                .hasMessageContaining("no program for windows-x86_64")
                .hasMessageContaining("linux-x86_64");
    }

    @Test
    @Tag("REG-14")
    void theOrderIsBinaryNpxUvxAndCanBeChosen() throws Exception {
        binary("linux-x86_64");
        try (Agents agents = fixture.agents()) {
            assertThat(agents.propose("agent", null, false).pin().distribution().kind())
                    .isEqualTo(Distribution.Kind.BINARY);
            assertThat(agents.propose("agent", Distribution.Kind.UVX, false)
                            .pin()
                            .distribution()
                            .kind())
                    .isEqualTo(Distribution.Kind.UVX);
            fixture.entry("agent", "1.0.0", "{\"uvx\":{\"package\":\"q\"},\"npx\":{\"package\":\"p\"}}");
            List<Index> unused = agents.indexes(true);
            assertThat(agents.propose("agent", null, false).pin().distribution().kind())
                    .isEqualTo(Distribution.Kind.NPX);
            assertThatThrownBy(() -> agents.propose("agent", Distribution.Kind.BINARY, false))
                    .hasMessageContaining("cannot be had by binary");
        }
    }

    @Test
    @Tag("REG-11")
    void anotherVersionThanThatOfTheIndexIsNotInvented() throws Exception {
        binary("linux-x86_64");
        try (Agents agents = fixture.agents()) {
            assertThatThrownBy(() -> agents.propose("agent@0.9.0", null, false))
                    .hasMessageContaining("no version 0.9.0");
            assertThat(agents.propose("agent@1.0.0", null, false).pin().version())
                    .isEqualTo("1.0.0");
        }
    }

    @Test
    @Tag("REG-02")
    void whyAnEntryWasLeftOutIsSaidToThoseWhoWantIt() throws Exception {
        fixture.entry("beta", "1.0.0", "{\"snap\":{}}");
        fixture.entry("beta-next", "1.0.0", "{\"npx\":{\"package\":\"p@1.0.0\"}}");
        try (Agents agents = fixture.agents()) {
            assertThatThrownBy(() -> agents.propose("beta", null, false))
                    .isNotInstanceOf(UnknownAgentException.class)
                    .hasMessageContaining("beta is in " + fixture.host.url(Fixture.INDEX))
                    .hasMessageContaining("unknown kind snap");
            assertThat(agents.propose("beta-n", null, false).pin().id()).isEqualTo("beta-next");
            assertThat(agents.indexes(false).getFirst().problem("beta")).isPresent();
        }
    }

    @Test
    @Tag("REG-14")
    void aMissingOrOldProgramIsSaidWithWhatIsNeeded() {
        assertThatThrownBy(() -> Program.require("no-such-program-at-all", 3, "Install it."))
                .hasMessageContaining("needs no-such-program-at-all 3 or newer")
                .hasMessageContaining("none in the search path");
        assertThatThrownBy(() -> Program.require("git", 999, "Install it."))
                .hasMessageContaining("needs git 999 or newer, found 2.");
    }
}
