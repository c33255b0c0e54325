package dev.acp4j.cli.editors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.Golden;
import dev.acp4j.cli.editors.Editor.Place;
import dev.acp4j.cli.editors.Installer.Answer;
import dev.acp4j.cli.editors.Installer.Wish;
import dev.acp4j.cli.editors.Outcome.Status;
import dev.acp4j.cli.terminal.Streams;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InstallerTest {
    private static final AgentEntry ACP = new AgentEntry("acp", "/opt/acp4j/acp", List.of(), Map.of());
    private static final AgentEntry OWN = new AgentEntry("acp4j", "/opt/acp4j/acp", List.of("agent"), Map.of());
    private static final AgentEntry OTHER = new AgentEntry("acp4j", "/opt/other", List.of(), Map.of("A", "b"));

    /** All that quotes of JSON, Lua, Emacs Lisp and a shell may stumble over. */
    static final AgentEntry AWKWARD = new AgentEntry(
            "Ünï \"日本\" \\ 'x' $HOME %s ]] ;; --",
            "/opt/a b/\"c\"/d\\e/日本 'f'/$(g)/acp",
            List.of("", " ", "--x=\"y\"", "\\n\n\t", "日本", "%d", "]]", "{}"),
            Map.of("A", "\\\"'\n%s 日本"));

    @TempDir
    private Path folder;

    private Path home;
    private final Map<String, String> environment = new HashMap<>();
    private final List<String> running = new ArrayList<>();
    private Installer.Consent consent = (editor, file, diff) -> Answer.WRITE;

    @BeforeEach
    void makeHome() throws IOException {
        home = Files.createDirectories(folder.resolve("home"));
    }

    private Desktop desktop(Desktop.Kind kind) {
        return new Desktop(kind, home, folder, environment, () -> running);
    }

    private Installer installer() {
        return new Installer(
                desktop(Desktop.Kind.LINUX),
                new Receipts(folder.resolve("state")),
                ACP,
                (editor, file, diff) -> consent.of(editor, file, diff));
    }

    static AgentsText format(String id) {
        return Objects.requireNonNull(Editors.of(id).text());
    }

    private static Wish wish(AgentEntry entry) {
        return new Wish(entry, false, false, false);
    }

    private static Wish replacing(AgentEntry entry) {
        return new Wish(entry, false, true, false);
    }

    private static Wish traced(AgentEntry entry) {
        return new Wish(entry, true, false, false);
    }

    private Outcome install(String id, Wish wish) {
        Editor editor = Editors.of(id);
        return installer().install(editor, place(editor), wish);
    }

    private Outcome uninstall(String id) {
        Editor editor = Editors.of(id);
        return installer().uninstall(editor, place(editor), null, false);
    }

    private Place place(Editor editor) {
        return editor.place(desktop(Desktop.Kind.LINUX)).orElseThrow();
    }

    /** Writes the settings of Zed. */
    private Path zed(String text) throws IOException {
        Path file = home.resolve(".config/zed/settings.json");
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private List<Path> filesBeside(Path file) throws IOException {
        try (Stream<Path> all = Files.list(file.getParent())) {
            return all.toList();
        }
    }

    @ParameterizedTest
    @Tag("EDT-02")
    @Tag("EDT-12")
    @Tag("EDT-13")
    @CsvSource({
        "zed, .config/zed/settings.json",
        "jetbrains, .jetbrains/acp.json",
        "vscode, .config/Code/User/settings.json",
        "cursor, .config/Cursor/User/settings.json",
        "acpx, .acpx/config.json",
    })
    void theFileOfEachEditorIsChangedAsApproved(String id, String name) throws IOException {
        Path file = home.resolve(name);
        Files.createDirectories(file.getParent());
        String before = Golden.read("editors/" + id + ".before.json");
        Files.writeString(file, before);

        Outcome outcome = install(id, traced(OWN));

        assertThat(outcome.status()).as(outcome.message()).isEqualTo(Status.WRITTEN);
        Golden.check("editors/" + id + ".after.json", Files.readString(file));
        assertThat(uninstall(id).status()).isEqualTo(Status.WRITTEN);
        assertThat(file).content().isEqualTo(before);
        assertThat(filesBeside(file)).containsExactly(file);
    }

    @ParameterizedTest
    @Tag("EDT-02")
    @Tag("EDT-15")
    @Tag("EDT-17")
    @CsvSource({"neovim, .config/nvim/lua/acp4j.lua", "emacs, .emacs.d/acp4j.el"})
    void theFileOfOurOwnIsWrittenAsApproved(String id, String name) throws IOException {
        Path file = home.resolve(name);
        Files.createDirectories(home.resolve(".config/nvim"));
        Files.createDirectories(home.resolve(".emacs.d"));

        Outcome outcome = install(id, traced(OTHER));

        assertThat(outcome.status()).as(outcome.message()).isEqualTo(Status.WRITTEN);
        Golden.check("editors/" + file.getFileName(), Files.readString(file));
        assertThat(uninstall(id).status()).isEqualTo(Status.WRITTEN);
        assertThat(file).doesNotExist();
    }

    @Test
    @Tag("EDT-12")
    @Tag("EDT-13")
    void whatTheUserHasToKnowIsSaid() throws IOException {
        Files.createDirectories(home.resolve(".jetbrains"));
        Files.createDirectories(home.resolve(".config/Code"));

        assertThat(install("jetbrains", wish(OWN)).next())
                .anySatisfy(line -> assertThat(line).contains("An IDE inside WSL does not run agents"));
        assertThat(install("vscode", wish(OWN)).next())
                .anySatisfy(line -> assertThat(line).contains("formulahendry.acp-client"));
    }

    @ParameterizedTest
    @Tag("EDT-03")
    @ValueSource(strings = {"", " \n", "{}", "{}\n", "{\n}\n", "\ufeff{}", "// mine\n", "{ /* mine */ }", "{\"a\":1}"})
    void whatIsMissingIsMadeWithAsLittleAsPossible(String before) throws Exception {
        Path file = zed(before);

        assertThat(install("zed", wish(OWN)).status()).isEqualTo(Status.WRITTEN);

        String after = Files.readString(file);
        assertThat(format("zed").agents(after)).hasSize(1);
        assertThat(after).contains(before.isBlank() ? "" : before.contains("mine") ? "mine" : "\"acp4j\"");
        assertThat(after.startsWith("\ufeff")).isEqualTo(before.startsWith("\ufeff"));
        assertThat(uninstall("zed").status()).isEqualTo(Status.WRITTEN);
        assertThat(file).content().isEqualTo(before);
    }

    @Test
    @Tag("EDT-03")
    void aFileIsMadeWhereTheEditorIsAndElsewhereOnlyByForce() throws IOException {
        Path file = home.resolve(".config/zed/settings.json");
        Outcome missing = install("zed", wish(OWN));
        assertThat(missing.status()).isEqualTo(Status.REFUSED);
        assertThat(missing.message()).contains("--force");
        assertThat(missing.text()).contains("\"acp4j\"");
        assertThat(home).isEmptyDirectory();

        assertThat(install("zed", new Wish(OWN, false, false, true)).status()).isEqualTo(Status.WRITTEN);

        assertThat(file).content().isEqualTo("""
                {
                  "agent_servers": {
                    "acp4j": {
                      "type": "custom",
                      "command": "/opt/acp4j/acp",
                      "args": ["agent"]
                    }
                  }
                }
                """);
        assertThat(uninstall("zed").status()).isEqualTo(Status.WRITTEN);
        assertThat(home).isEmptyDirectory();
    }

    @ParameterizedTest
    @Tag("EDT-03")
    @Tag("EDT-04")
    @ValueSource(
            strings = {"{\"agent_servers\": []}", "{\"agent_servers\": null}", "[]", "{\"a\": }", "{\"a\": 1", "\0"})
    void whatIsNotUnderstoodIsLeftAloneAndTheTextToPasteIsGiven(String text) throws IOException {
        Path file = zed(text);

        Outcome outcome = install("zed", wish(OWN));

        assertThat(outcome.status()).isEqualTo(Status.REFUSED);
        assertThat(outcome.message()).contains(file.toString()).containsPattern("line 1, column \\d+: ");
        assertThat(outcome.text()).startsWith("\"agent_servers\": {").contains("/opt/acp4j/acp");
        assertThat(file).content().isEqualTo(text);
        assertThat(folder.resolve("state")).doesNotExist();
    }

    @Test
    @Tag("EDT-04")
    void aFileThatIsNotUtf8IsLeftAlone() throws IOException {
        Path file = zed("");
        byte[] latin = {'{', '\n', '"', (byte) 0xe4, '"', ':', '1', '}'};
        Files.write(file, latin);

        Outcome outcome = install("zed", wish(OWN));

        assertThat(outcome.message()).contains("line 2, column 2: not a text in UTF-8");
        assertThat(file).hasBinaryContent(latin);
    }

    @Test
    @Tag("EDT-05")
    void theSecondTimeNothingIsTouched() throws IOException {
        Path file = zed("{}");
        install("zed", wish(OWN));
        FileTime time = FileTime.fromMillis(1_000_000);
        Files.setLastModifiedTime(file, time);
        consent = (editor, path, diff) -> {
            throw new AssertionError("asked");
        };

        Outcome outcome = install("zed", wish(OWN));

        assertThat(outcome.status()).isEqualTo(Status.UNCHANGED);
        assertThat(outcome.message()).contains("already has 'acp4j'");
        assertThat(Files.getLastModifiedTime(file)).isEqualTo(time);
    }

    @Test
    @Tag("EDT-05")
    void anotherAgentOfTheNameIsReplacedOnlyWhenThatIsAskedFor() throws IOException {
        String before =
                "{\"agent_servers\": {\"acp4j\": {\"type\": \"custom\", \"command\": \"mine\"}, \"x\": {\"command\": \"y\"}}}";
        Path file = zed(before);

        Outcome refused = install("zed", wish(OWN));

        assertThat(refused.status()).isEqualTo(Status.REFUSED);
        assertThat(refused.message()).contains("--replace").contains("\"command\": \"mine\"");
        assertThat(file).content().isEqualTo(before);
        assertThat(install("zed", replacing(OWN)).status()).isEqualTo(Status.WRITTEN);
        assertThat(file)
                .content()
                .contains("/opt/acp4j/acp")
                .contains("\"x\": {\"command\": \"y\"}")
                .doesNotContain("mine");
        assertThat(uninstall("zed").status()).isEqualTo(Status.WRITTEN);
        assertThat(file).content().isEqualTo(before);
    }

    @Test
    @Tag("EDT-05")
    void anAgentThatTheEditorHasInstalledIsNeverReplaced() throws IOException {
        String before = "{\"agent_servers\": {\"acp4j\": {\"type\": \"registry\"}}}";
        Path file = zed(before);

        Outcome outcome = install("zed", replacing(OWN));

        assertThat(outcome.status()).isEqualTo(Status.REFUSED);
        assertThat(outcome.message()).contains("installed by the editor itself").contains("--name");
        assertThat(file).content().isEqualTo(before);
    }

    @Test
    @Tag("EDT-05")
    void anEntryOfOursIsBroughtUpToDateUnlessSomebodyHasChangedIt() throws IOException {
        Path file = zed("{}");
        install("zed", wish(OTHER));

        assertThat(install("zed", wish(OWN)).status()).isEqualTo(Status.WRITTEN);

        assertThat(file)
                .content()
                .contains("/opt/acp4j/acp")
                .doesNotContain("/opt/other")
                .doesNotContain("env");
        Files.writeString(file, Files.readString(file).replace("[\"agent\"]", "[\"agent\", \"--mine\"]"));
        assertThat(install("zed", wish(OTHER)).status()).isEqualTo(Status.REFUSED);
    }

    @Test
    @Tag("EDT-07")
    @DisabledOnOs(OS.WINDOWS)
    void modeAndLinkOfTheFileStay() throws IOException {
        Path real = Files.writeString(
                Files.createDirectories(folder.resolve("dotfiles")).resolve("zed.json"), "{}");
        Files.setPosixFilePermissions(real, PosixFilePermissions.fromString("rw-r-----"));
        Path file = home.resolve(".config/zed/settings.json");
        Files.createDirectories(file.getParent());
        Files.createSymbolicLink(file, Path.of("../../../dotfiles/zed.json"));

        assertThat(install("zed", wish(OWN)).status()).isEqualTo(Status.WRITTEN);

        assertThat(file).isSymbolicLink();
        assertThat(real).content().contains("/opt/acp4j/acp");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(real)))
                .isEqualTo("rw-r-----");
        assertThat(filesBeside(real)).containsExactly(real);
        assertThat(uninstall("zed").status()).isEqualTo(Status.WRITTEN);
        assertThat(file).isSymbolicLink();
        assertThat(real).content().isEqualTo("{}");
    }

    @Test
    @Tag("EDT-07")
    @DisabledOnOs(OS.WINDOWS)
    void aRelativeLinkInAFolderThatIsALinkLeadsWhereTheSystemFollowsIt() throws IOException {
        Path dotfiles = Files.createDirectories(folder.resolve("dotfiles/of/zed"));
        Path real = Files.writeString(folder.resolve("dotfiles/of/real.json"), "{}");
        Files.createSymbolicLink(dotfiles.resolve("settings.json"), Path.of("../real.json"));
        Files.createDirectories(home.resolve(".config"));
        Files.createSymbolicLink(home.resolve(".config/zed"), dotfiles);

        assertThat(install("zed", wish(OWN)).status()).isEqualTo(Status.WRITTEN);

        assertThat(real).content().contains("/opt/acp4j/acp");
        assertThat(home.resolve(".config/real.json")).doesNotExist();
        assertThat(uninstall("zed").status()).isEqualTo(Status.WRITTEN);
        assertThat(real).content().isEqualTo("{}");
    }

    @Test
    @Tag("EDT-07")
    @DisabledOnOs(OS.WINDOWS)
    void aReadOnlyFileIsLeftAlone() throws IOException {
        Path file = zed("{}");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));

        Outcome outcome = install("zed", wish(OWN));

        assertThat(outcome.status()).isEqualTo(Status.REFUSED);
        assertThat(outcome.message()).contains("read-only").contains("Nix, chezmoi");
        assertThat(outcome.text()).contains("/opt/acp4j/acp");
        assertThat(file).content().isEqualTo("{}");
    }

    @Test
    @Tag("EDT-07")
    @DisabledOnOs(OS.WINDOWS)
    void aProgramThatReadsTheFileMeanwhileHasTheFormerOneToItsEnd() throws IOException {
        Path file = zed("{\n  \"theme\": \"dark\"\n}\n");
        String before = Files.readString(file);

        try (InputStream reading = Files.newInputStream(file)) {
            int first = reading.read();
            assertThat(install("zed", wish(OWN)).status()).isEqualTo(Status.WRITTEN);

            assertThat((char) first + new String(reading.readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo(before);
        }
        assertThat(file).content().contains("/opt/acp4j/acp");
        assertThat(filesBeside(file)).containsExactly(file);
    }

    @Test
    @Tag("EDT-07")
    void aFileThatChangesMeanwhileIsReadAgain() throws IOException {
        Path file = zed("{}");
        List<List<String>> shown = new ArrayList<>();
        consent = (editor, path, diff) -> {
            shown.add(diff);
            if (shown.size() == 1) {
                write(file, "{\n  \"theme\": \"dark\"\n}\n");
            }
            return Answer.WRITE;
        };

        assertThat(install("zed", wish(OWN)).status()).isEqualTo(Status.WRITTEN);

        assertThat(shown).hasSize(2);
        assertThat(shown.get(1)).contains("+  \"theme\": \"dark\",");
        assertThat(file).content().contains("\"theme\": \"dark\"").contains("/opt/acp4j/acp");
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @Tag("EDT-08")
    void onlyOurEntryGoesWhenSomethingElseWasChanged() throws IOException {
        Path file = zed("{\n  \"a\": 1\n}\n");
        install("zed", wish(OWN));
        Files.writeString(file, Files.readString(file).replace("\"a\": 1,", "\"a\": 2, // new"));

        assertThat(uninstall("zed").status()).isEqualTo(Status.WRITTEN);

        assertThat(file).content().isEqualTo("{\n  \"a\": 2, // new\n  \"agent_servers\": {}\n}\n");
        assertThat(uninstall("zed").status()).isEqualTo(Status.UNCHANGED);
    }

    @ParameterizedTest
    @Tag("EDT-08")
    @CsvSource({"zed, .config/zed/settings.json", "obsidian, vault/.obsidian/plugins/agent-client/data.json"})
    void whatWasReplacedComesBackAlsoWhenSomethingElseWasChanged(String id, String name) throws IOException {
        String mine = id.equals("zed")
                ? "{\"agent_servers\": {\"acp4j\": {\"type\": \"custom\", \"command\": \"mine\", /* own */ \"env\": {\"K\": \"v\"}}}, \"a\": 1}"
                : "{\"customAgents\": [{\"id\": \"acp4j\", \"command\": \"mine\", \"env\": [], \"displayName\": \"M\"}], \"a\": 1}";
        Path file = home.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, mine);
        Editor editor = Editors.of(id);
        Place place = new Place(file, home, null);
        installer().install(editor, place, replacing(OWN));
        installer().install(editor, place, wish(OTHER));
        Files.writeString(file, Files.readString(file).replace("\"a\": 1", "\"a\": 2"));

        Outcome outcome = installer().uninstall(editor, place, null, false);

        assertThat(outcome.status()).as(outcome.message()).isEqualTo(Status.WRITTEN);
        assertThat(file).content().isEqualTo(mine.replace("\"a\": 1", "\"a\": 2"));
    }

    @Test
    @Tag("EDT-08")
    void onlyWhatIsAsAcpHasPutItInGoesUnlessItIsNamed() throws IOException {
        Path file = zed(
                "{\"agent_servers\": {\"own\": {\"type\": \"custom\", \"command\": \"/opt/acp4j/acp\", \"args\": [\"chat\"]}}}");
        Editor editor = Editors.of("zed");
        assertThat(uninstall("zed").next())
                .containsExactly("'own' starts acp, and was put in by hand: --name takes it out");
        install("zed", wish(OWN));
        install("zed", wish(new AgentEntry("second", "/opt/second", List.of(), Map.of())));
        Files.writeString(file, Files.readString(file).replace("[\"agent\"]", "[\"agent\", \"--mine\"]"));

        Outcome some = uninstall("zed");
        Outcome none = uninstall("zed");

        assertThat(some.message()).isEqualTo("no longer has second");
        assertThat(some.next())
                .contains("'acp4j' was changed since: --name takes it out")
                .contains("'own' starts acp, and was put in by hand: --name takes it out");
        assertThat(none.status()).isEqualTo(Status.REFUSED);
        assertThat(file).content().contains("--mine").contains("\"own\"").doesNotContain("second");
        assertThat(installer().uninstall(editor, place(editor), "acp4j", false).status())
                .isEqualTo(Status.WRITTEN);
        assertThat(installer().uninstall(editor, place(editor), "own", false).status())
                .isEqualTo(Status.WRITTEN);
        assertThat(file).content().doesNotContain("/opt/acp4j");
    }

    @Test
    @Tag("EDT-08")
    void theFormerFileIsKnownAfterManyUpdates() throws IOException {
        String before = "{\n  \"a\": 1 // one\n}\n";
        Path file = zed(before);
        install("zed", wish(OWN));
        for (int i = 0; i < 25; i++) {
            install("zed", wish(new AgentEntry("other", "/opt/other", List.of("" + i), Map.of())));
        }
        Editor editor = Editors.of("zed");

        assertThat(installer().uninstall(editor, place(editor), "other", false).status())
                .isEqualTo(Status.WRITTEN);

        assertThat(file).content().contains("/opt/acp4j/acp").doesNotContain("/opt/other");
        assertThat(uninstall("zed").status()).isEqualTo(Status.WRITTEN);
        assertThat(file).content().doesNotContain("/opt/acp4j/acp");
        for (int i = 0; i < 25; i++) {
            install("zed", wish(new AgentEntry("other", "/opt/other", List.of("" + i), Map.of())));
        }
        String now = Files.readString(file);
        assertThat(uninstall("zed").status()).isEqualTo(Status.WRITTEN);
        assertThat(now).contains("/opt/other");
        assertThat(file).content().contains("\"a\": 1").doesNotContain("/opt/other");
    }

    @Test
    @Tag("EDT-05")
    void variablesOfTheUserStayAtAnUpdateThatNamesNone() throws IOException {
        Path file = zed("{}");
        install("zed", wish(OWN));
        String mine = Files.readString(file).replace("[\"agent\"]", "[\"agent\"],\n      \"env\": {\"MODE\": \"x\"}");
        Files.writeString(file, mine);

        assertThat(install("zed", wish(OWN)).status()).isEqualTo(Status.UNCHANGED);
        assertThat(install("zed", traced(OWN)).status()).isEqualTo(Status.WRITTEN);

        assertThat(Files.readString(file).split("\"MODE\"", -1)).hasSize(3);
    }

    @Test
    @Tag("EDT-11")
    void anEntryThatClaimsToBeCustomAndHasNoCommandIsNoAgentOfTheEditor() throws Exception {
        String text = "{\"agent_servers\": {\"x\": {\"type\": \"custom\"}, \"y\": {\"type\": \"registry\"}}}";

        List<AgentsText.Listed> listed = format("zed").agents(text);

        assertThat(listed.get(0).kept()).isNull();
        assertThat(listed.get(0).problem()).contains("there is no \"command\"");
        assertThat(listed.get(1).kept()).isEqualTo("it is installed by the editor itself");
    }

    @Test
    @Tag("EDT-08")
    @DisabledOnOs(OS.WINDOWS)
    void theFormerFileIsKeptWithOurStateForTheUserAlone() throws IOException {
        zed("{\"secret\": 1}");

        install("zed", wish(OWN));

        try (Stream<Path> all = Files.list(folder.resolve("state"))) {
            List<Path> kept = all.toList();
            assertThat(kept).anySatisfy(path -> assertThat(path).content().isEqualTo("{\"secret\": 1}"));
            assertThat(kept)
                    .allSatisfy(path -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                            .isEqualTo("rw-------"));
        }
        assertThat(uninstall("zed").status()).isEqualTo(Status.WRITTEN);
        assertThat(folder.resolve("state")).isEmptyDirectory();
    }

    @Test
    @Tag("EDT-08")
    void agentsThatAcpHasNotPutInStay() throws IOException {
        String before = "{\"agent_servers\": {\"mine\": {\"type\": \"custom\", \"command\": \"mine\"}}}";
        Path file = zed(before);
        Editor editor = Editors.of("zed");

        assertThat(uninstall("zed").message()).isEqualTo("has no agent that acp has put in");
        assertThat(installer().uninstall(editor, place(editor), "other", false).message())
                .isEqualTo("has no agent 'other'");
        Outcome named = installer().uninstall(editor, place(editor), "mine", false);

        assertThat(named.status()).isEqualTo(Status.REFUSED);
        assertThat(file).content().isEqualTo(before);
    }

    @Test
    @Tag("EDT-08")
    void oneOfSeveralIsTakenOutAndTheLastOneLeavesTheFormerFile() throws IOException {
        String before = "{\n\t\"a\": 1, // x\r\n\t\"agent_servers\": {\n\t\t\"mine\": {},\n\t},\n}";
        Path file = zed(before);
        Editor editor = Editors.of("zed");
        install("zed", wish(OWN));
        install("zed", wish(new AgentEntry("second", "/opt/second", List.of(), Map.of())));

        installer().uninstall(editor, place(editor), "acp4j", false);

        assertThat(file).content().contains("second").doesNotContain("acp4j");
        assertThat(uninstall("zed").status()).isEqualTo(Status.WRITTEN);
        assertThat(file).content().isEqualTo(before);
    }

    @Test
    @Tag("EDT-11")
    void anOldEntryOfZedGetsItsTypeAndASettingOfTheUserStays() throws IOException {
        Path file = zed("""
                {
                  "agent_servers": {
                    "acp4j": {
                      "command": "/opt/acp4j/acp",
                      "args": ["agent"],
                      "default_mode": "ask"
                    }
                  }
                }
                """);

        assertThat(install("zed", wish(OWN)).status()).isEqualTo(Status.WRITTEN);

        assertThat(file).content().contains("\"default_mode\": \"ask\",\n      \"type\": \"custom\"\n");
    }

    @Test
    @Tag("EDT-11")
    void theSettingsOfAFlatpakAreFound() throws IOException {
        Path file = home.resolve(".var/app/dev.zed.Zed/config/zed/settings.json");
        Files.createDirectories(file.getParent());

        Outcome outcome = install("zed", wish(OWN));

        assertThat(outcome.file()).isEqualTo(file);
        assertThat(file).exists();
        assertThat(outcome.next())
                .anySatisfy(line -> assertThat(line).contains("flatpak").contains("the host"));
    }

    @ParameterizedTest
    @Tag("EDT-13")
    @ValueSource(
            strings = {
                "{\n  \"acp.agents\": {\n    \"mine\": {}\n  }\n}\n",
                "{\n  \"acp\": {\n    \"agents\": {\n      \"mine\": {}\n    }\n  }\n}\n"
            })
    void theSettingOfVsCodeIsFoundWithItsDotAndNested(String before) throws Exception {
        Path file = home.resolve(".config/Code/User/settings.json");
        Files.createDirectories(file.getParent());
        Files.writeString(file, before);

        install("vscode", wish(OWN));

        String after = Files.readString(file);
        assertThat(after.split("agents", -1)).hasSize(2);
        assertThat(format("vscode").agents(after))
                .extracting(AgentsText.Listed::name)
                .containsExactly("mine", "acp4j");
    }

    @Test
    @Tag("EDT-13")
    void aWorkspaceHasAFileOfItsOwn() {
        Editor editor = Editors.of("vscode");

        Outcome outcome = installer().install(editor, Editors.codeWorkspace(folder), wish(OWN));

        assertThat(outcome.status()).isEqualTo(Status.WRITTEN);
        assertThat(folder.resolve(".vscode/settings.json")).content().contains("acp.agents");
        assertThat(home).isEmptyDirectory();
    }

    @Test
    @Tag("EDT-14")
    void aVaultIsFoundAndItsAgentsAreKnownById() throws IOException {
        Path vault = folder.resolve("My vault");
        Path file = vault.resolve(".obsidian/plugins/agent-client/data.json");
        Files.createDirectories(file.getParent());
        Files.createDirectories(home.resolve(".config/obsidian"));
        Files.writeString(
                home.resolve(".config/obsidian/obsidian.json"),
                "{\"vaults\":{\"1\":{\"path\":" + dev.acp4j.json.JsonString.of(vault.toString()) + ",\"open\":true}}}");
        String before = Golden.read("editors/obsidian.before.json");
        Files.writeString(file, before);

        assertThat(install("obsidian", wish(OTHER)).status()).isEqualTo(Status.WRITTEN);

        Golden.check("editors/obsidian.after.json", Files.readString(file));
        assertThat(install("obsidian", wish(OTHER)).status()).isEqualTo(Status.UNCHANGED);
        assertThat(uninstall("obsidian").status()).isEqualTo(Status.WRITTEN);
        assertThat(file).content().isEqualTo(before);
    }

    @Test
    @Tag("EDT-05")
    @Tag("EDT-14")
    void whatTheUserHasSetForAnAgentOfObsidianStaysAtAnUpdate() throws Exception {
        AgentsText format = format("obsidian");
        String first = format.with("", OWN);
        String mine =
                first.replace("\"displayName\": \"acp4j\"", "\"displayName\": \"Mine\", \"defaultMode\": \"ask\"");

        String updated = format.with(mine, OTHER);

        assertThat(mine).contains("Mine");
        assertThat(updated)
                .contains("\"displayName\": \"Mine\", \"defaultMode\": \"ask\"")
                .contains("/opt/other");
        assertThat(format.agents(updated).getFirst().entry()).isEqualTo(OTHER);
    }

    @Test
    @Tag("EDT-14")
    void aRunningObsidianKeepsItsFile() throws IOException {
        Path vault = folder.resolve("vault");
        Path file = vault.resolve(".obsidian/plugins/agent-client/data.json");
        Files.createDirectories(file.getParent());
        running.add("obsidian");

        Outcome outcome = installer().install(Editors.of("obsidian"), Editors.vault(vault), wish(OWN));

        assertThat(outcome.status()).isEqualTo(Status.REFUSED);
        assertThat(outcome.message()).contains("Obsidian is running");
        assertThat(file).doesNotExist();
    }

    @Test
    @Tag("EDT-15")
    void theLinesToAddAreThoseOfThePluginsOfNeovimThatAreThere() throws IOException {
        Path file = home.resolve(".config/nvim/lua/acp4j.lua");
        Path mine = home.resolve(".config/nvim/init.lua");
        Files.createDirectories(mine.getParent());
        Files.writeString(mine, "vim.o.number = true\n");
        assertThat(install("neovim", wish(OWN)).next())
                .anySatisfy(line -> assertThat(line).contains("require(\"acp4j\").codecompanion"))
                .anySatisfy(line -> assertThat(line).contains("require(\"acp4j\").avante"))
                .anySatisfy(line -> assertThat(line).contains("require(\"acp4j\").agentic"));

        Files.createDirectories(home.resolve(".local/share/nvim/lazy/avante.nvim"));
        Files.createDirectories(home.resolve(".local/share/nvim/site/pack/mine/start/agentic.nvim"));

        assertThat(install("neovim", wish(OTHER)).next())
                .contains(
                        "provider = \"acp4j\",",
                        "acp_providers = require(\"acp4j\").avante,",
                        "acp_providers = require(\"acp4j\").agentic,")
                .noneSatisfy(line -> assertThat(line).contains("codecompanion"));
        assertThat(mine).content().isEqualTo("vim.o.number = true\n");
        assertThat(uninstall("neovim").status()).isEqualTo(Status.WRITTEN);
        assertThat(file).doesNotExist();
        assertThat(filesBeside(mine)).containsExactly(mine);
    }

    @Test
    @Tag("EDT-19")
    void theTracedTwinStaysInStepAndGoesAloneOrWithTheOther() throws Exception {
        Path file = zed("{}");
        Editor editor = Editors.of("zed");
        install("zed", traced(OTHER));
        assertThat(commands(file)).containsExactly("/opt/other", "/opt/acp4j/acp trace -- /opt/other");

        install("zed", wish(OWN));

        assertThat(commands(file))
                .containsExactly("/opt/acp4j/acp agent", "/opt/acp4j/acp trace -- /opt/acp4j/acp agent");
        installer().uninstall(editor, place(editor), null, true);
        assertThat(commands(file)).containsExactly("/opt/acp4j/acp agent");
        install("zed", traced(OWN));
        installer().uninstall(editor, place(editor), "acp4j", false);
        assertThat(commands(file)).isEmpty();
    }

    private static List<String> commands(Path file) throws Exception {
        return format("zed").agents(Files.readString(file)).stream()
                .map(agent ->
                        String.join(" ", Objects.requireNonNull(agent.entry()).words()))
                .toList();
    }

    @ParameterizedTest
    @Tag("EDT-01")
    @CsvSource({
        "LINUX, zed, .config/zed/settings.json",
        "MACOS, zed, .config/zed/settings.json",
        "WINDOWS, zed, AppData/Roaming/Zed/settings.json",
        "LINUX, jetbrains, .jetbrains/acp.json",
        "WINDOWS, jetbrains, .jetbrains/acp.json",
        "LINUX, vscode, .config/Code/User/settings.json",
        "MACOS, vscode-insiders, Library/Application Support/Code - Insiders/User/settings.json",
        "WINDOWS, windsurf, AppData/Roaming/Windsurf/User/settings.json",
        "MACOS, neovim, .config/nvim/lua/acp4j.lua",
        "WINDOWS, neovim, AppData/Local/nvim/lua/acp4j.lua",
        "LINUX, emacs, .emacs.d/acp4j.el",
        "WINDOWS, emacs, AppData/Roaming/.emacs.d/acp4j.el",
        "LINUX, acpx, .acpx/config.json",
    })
    void eachSystemHasItsPlaces(Desktop.Kind kind, String id, String file) {
        assertThat(Editors.of(id).place(desktop(kind)).orElseThrow().file()).isEqualTo(home.resolve(file));
    }

    @Test
    @Tag("EDT-01")
    void variablesMoveThePlaces() {
        environment.put("XDG_CONFIG_HOME", folder.resolve("xdg").toString());
        environment.put("APPDATA", folder.resolve("roaming").toString());
        environment.put("NVIM_APPNAME", "mynvim");

        assertThat(List.of(
                        Editors.of("zed")
                                .place(desktop(Desktop.Kind.LINUX))
                                .orElseThrow()
                                .file(),
                        Editors.of("zed")
                                .place(desktop(Desktop.Kind.MACOS))
                                .orElseThrow()
                                .file(),
                        Editors.of("zed")
                                .place(desktop(Desktop.Kind.WINDOWS))
                                .orElseThrow()
                                .file(),
                        Editors.of("neovim")
                                .place(desktop(Desktop.Kind.LINUX))
                                .orElseThrow()
                                .file()))
                .containsExactly(
                        folder.resolve("xdg/zed/settings.json"),
                        home.resolve(".config/zed/settings.json"),
                        folder.resolve("roaming/Zed/settings.json"),
                        folder.resolve("xdg/mynvim/lua/acp4j.lua"));
    }

    @Test
    @Tag("EDT-10")
    @DisabledOnOs(OS.WINDOWS)
    void onWindowsABatchFileIsStartedByTheProgramForIt() throws IOException {
        Path tools = Files.createDirectories(folder.resolve("Program Files"));
        Files.writeString(tools.resolve("npx.cmd"), "@node npx-cli.js %*");
        Files.writeString(tools.resolve("agent.exe"), "MZ");
        environment.put("Path", tools.toString());
        environment.put("SystemRoot", "C:\\Windows");
        Desktop windows = desktop(Desktop.Kind.WINDOWS);

        assertThat(windows.absolute(List.of("agent", "--acp")).orElseThrow())
                .containsExactly(tools.resolve("agent.exe").toString(), "--acp");
        assertThat(windows.absolute(List.of("npx", "-y", "x")).orElseThrow())
                .containsExactly(
                        "C:\\Windows\\System32\\cmd.exe",
                        "/d",
                        "/c",
                        "call",
                        tools.resolve("npx.cmd").toString(),
                        "-y",
                        "x");
        assertThat(windows.absolute(List.of("missing"))).isEmpty();
    }

    @Test
    @Tag("CON-03")
    @Tag("EDT-10")
    @DisabledOnOs(OS.WINDOWS)
    void onWindowsAProxyIsWrittenAsItsCommandLinesAreThere() throws IOException {
        Path tools = Files.createDirectories(folder.resolve("Program Files"));
        Files.writeString(tools.resolve("brief.exe"), "MZ");
        environment.put("Path", tools.toString());
        Desktop windows = desktop(Desktop.Kind.WINDOWS);
        AbsoluteChain chain =
                new AbsoluteChain(windows, ACP, words -> windows.absolute(words).orElseThrow());

        assertThat(chain.ofProxies(
                        Streams.system(), List.of("brief --files 'a b'", "context:", "MODE=x acp trace -- {}")))
                .containsExactly(
                        "-p",
                        "brief=\"" + tools.resolve("brief.exe") + "\" --files \"a b\"",
                        "-p",
                        "context:",
                        "-p",
                        "acp=MODE=x /opt/acp4j/acp trace -- \"{}\"");
    }

    @ParameterizedTest
    @Tag("EDT-10")
    @ValueSource(strings = {"zed", "jetbrains", "vscode", "obsidian", "acpx", "neovim", "emacs"})
    void awkwardPathsAndNamesSurvive(String id) throws Exception {
        AgentsText format = format(id);
        boolean hasVariables = format.obstacle(AWKWARD) == null;
        AgentEntry entry =
                hasVariables ? AWKWARD : new AgentEntry(AWKWARD.name(), AWKWARD.command(), AWKWARD.args(), Map.of());

        String text = format.with("", entry);

        assertThat(hasVariables).isEqualTo(!id.equals("acpx"));
        assertThat(format.agents(text))
                .singleElement()
                .extracting(AgentsText.Listed::entry)
                .isEqualTo(entry);
        assertThat(format.with(text, entry)).isEqualTo(text);
    }

    @Test
    @Tag("EDT-10")
    void acpxGetsWhatItReadsAndNothingThatMakesItRefuseTheFile() throws Exception {
        AgentsText format = format("acpx");
        AgentEntry spaced = new AgentEntry("acp4j", "/opt/my tools/acp", List.of("agent"), Map.of());

        String plain = format.with("", OWN);
        String argv = format.with(plain, spaced);

        assertThat(plain).contains("\"command\": \"/opt/acp4j/acp\"").contains("\"args\": [\"agent\"]");
        assertThat(argv)
                .contains("\"argv\": [\"/opt/my tools/acp\", \"agent\"]")
                .doesNotContain("\"command\"")
                .doesNotContain("\"args\"");
        assertThat(format.with(argv, OWN)).isEqualTo(plain);
    }

    @Test
    @Tag("EDT-21")
    void variablesOfAnAgentAreRefusedForAcpxWhichHasNone() throws IOException {
        Path file = Files.createDirectories(home.resolve(".acpx")).resolve("config.json");

        Outcome outcome = install("acpx", wish(OTHER));

        assertThat(outcome.status()).isEqualTo(Status.REFUSED);
        assertThat(outcome.message()).contains("acpx").contains("set A where acpx is started");
        assertThat(file).doesNotExist();
    }

    @ParameterizedTest
    @Tag("EDT-22")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"argv\": [\"/opt/a b\", \"x\"]}|/opt/a b,x",
                "{\"command\": \"npx -y 'my agent'\"}|npx,-y,my agent",
                "{\"command\": \"npx\", \"args\": [\"-y\"]}|npx,-y",
                "{\"command\": \"/opt/a b\", \"args\": []}|",
                "{\"command\": \"npx\", \"argv\": [\"npx\"]}|",
                "{\"argv\": []}|",
                "{}|",
            })
    void agentsOfAcpxAreReadAsItReadsThem(String written, String words) throws Exception {
        AgentsText.Listed listed =
                format("acpx").agents("{\"agents\": {\"x\": " + written + "}}").getFirst();

        if (words == null) {
            assertThat(listed.entry()).isNull();
            assertThat(listed.problem()).contains("acpx refuses the whole file");
        } else {
            assertThat(Objects.requireNonNull(listed.entry()).words()).containsExactly(words.split(","));
            assertThat(listed.problem()).isNull();
        }
    }
}
