package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Client;
import dev.acp4j.Session;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class SkillFilesTest {
    private static final String VERSION_2 =
            ",\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{\"session\":{}}";

    @TempDir
    private Path temporary;

    private Path own;
    private Path project;
    private final List<String> notices = new CopyOnWriteArrayList<>();
    private final Map<Path, String> trusted = new ConcurrentHashMap<>();

    @BeforeEach
    void folders() throws Exception {
        own = Files.createDirectories(temporary.toRealPath().resolve("own"));
        project = Files.createDirectories(temporary.toRealPath().resolve("project"));
    }

    private SkillFiles.Builder skills() {
        return SkillFiles.builder()
                .folder(own)
                .ofProjects(".acp/skills")
                .trust((file, contents) -> contents.equals(trusted.get(file)))
                .onNotice(notices::add);
    }

    private static Path skill(Path above, String name, String description, String body) throws Exception {
        Path folder = Files.createDirectories(above.resolve(name));
        return Files.writeString(
                folder.resolve("SKILL.md"),
                "---\nname: " + name + "\ndescription: " + description + "\n---\n" + body + "\n");
    }

    private static String read(Session session, String name, String file) throws Exception {
        return session.prompt("skills__read_skill {\"name\":" + RawJson.string(name)
                        + (file.isEmpty() ? "" : ",\"file\":" + RawJson.string(file)) + "}")
                .text();
    }

    @ParameterizedTest
    @EnumSource(
            value = Version.class,
            names = {"V1", "V2"})
    void theAgentIsShownTheDescriptionsAndReadsTheTextsWithATool(Version version) throws Exception {
        skill(own, "pdf-forms", ">-\n  Fills forms\n  in PDF files.", "Run fill.py with $1.");
        Path folder = own.resolve("pdf-forms");
        Files.createDirectories(folder.resolve("scripts"));
        Files.writeString(folder.resolve("scripts/fill.py"), "print(1)");
        Files.writeString(folder.resolve(".hidden"), "no");
        Files.writeString(own.resolve("secret.txt"), "hunter2");
        Files.createSymbolicLink(folder.resolve("link.txt"), own.resolve("secret.txt"));
        skill(own, "plan", "\"Makes a plan\"", "Think first.");
        try (AskingAgent chain = new AskingAgent(skills().build(), Client.builder("test", "1"), version)) {
            Session session = chain.client().newSession(project);

            assertThat(session.prompt("tools").text()).isEqualTo("skills__read_skill");
            assertThat(session.prompt("about").text())
                    .contains("- pdf-forms: Fills forms in PDF files.\n- plan: Makes a plan")
                    .doesNotContain("fill.py", "Think");
            assertThat(read(session, "pdf-forms", ""))
                    .isEqualTo("The skill pdf-forms, in the folder " + folder + ":\n\nRun fill.py with $1.\n\n"
                            + "Other files of this skill: scripts/fill.py");
            assertThat(read(session, "pdf-forms", "scripts/fill.py")).isEqualTo("print(1)");
            for (String outside :
                    new String[] {"../secret.txt", own.resolve("secret.txt").toString(), "link.txt"}) {
                assertThat(read(session, "pdf-forms", outside))
                        .isEqualTo(outside + " is outside of the skill pdf-forms");
            }
            assertThat(read(session, "pdf-forms", "none.md")).isEqualTo("the skill pdf-forms has no file none.md");
            assertThat(read(session, "pdf", "")).isEqualTo("there is no skill pdf, but pdf-forms, plan");
        }
        assertThat(notices).isEmpty();
    }

    @Test
    void filesOfAProjectDoNothingBeforeTheyAreTrustedAndAfterAChange() throws Exception {
        skill(own, "plan", "Mine", "Mine.");
        Path file = skill(project.resolve(".acp/skills"), "plan", "Theirs", "Theirs.");
        Path other = Files.writeString(file.resolveSibling("more.md"), "More.");
        try (AskingAgent chain = new AskingAgent(skills().build(), Client.builder("test", "1"), Version.V1)) {
            Session before = chain.client().newSession(project);
            assertThat(before.prompt("about").text()).contains("- plan: Mine");
            assertThat(read(before, "plan", "")).contains("Mine.");

            trusted.put(file, Files.readString(file));
            Session after = chain.client().newSession(project);
            assertThat(after.prompt("about").text()).contains("- plan: Theirs");
            assertThat(read(after, "plan", "")).contains("Theirs.");
            assertThat(read(after, "plan", "more.md")).contains("not trusted by the user");
            trusted.put(other, "More.");
            assertThat(read(after, "plan", "more.md")).isEqualTo("More.");

            Files.writeString(file, Files.readString(file) + "Changed.");
            assertThat(read(after, "plan", "")).contains("Mine.").doesNotContain("Changed");
        }
        assertThat(notices)
                .containsExactly(
                        "The skill file " + file + " does nothing until you trust it.",
                        "The skill file " + other + " does nothing until you trust it.",
                        "The skill file " + file + " does nothing until you trust it.");
        assertThatThrownBy(() -> SkillFiles.builder().ofProjects("../x")).hasMessageContaining("below that");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void skillsAreSlashCommandsAlsoForAnAgentWithoutMcp(int version) throws Exception {
        skill(own, "plan", "Makes a plan", "Think about $1 first.");
        skill(own, "test", "Tests it", "Run the tests.");
        String ofAgent = "{\"sessionUpdate\":\"available_commands_update\",\"availableCommands\":["
                + "{\"name\":\"test\",\"description\":\"of the agent\""
                + (version == 1 ? "" : ",\"type\":\"command\"") + "}]}";
        try (Between between = new Between(skills().build(), version, version == 1 ? "" : VERSION_2)) {
            between.client.request(
                    70, "session/new", "{\"cwd\":" + RawJson.string(project.toString()) + ",\"mcpServers\":[]}");
            var setup = between.agent.expect("session/new");
            // In version 1 all agents connect to programs.
            assertThat(Between.params(setup)).contains(version == 1 ? "{\"name\":\"skills\"," : "\"mcpServers\":[]");
            between.agent.answer(setup, "{\"sessionId\":\"s\"}");
            String opened = Between.text(between.client.expectResult(70));
            String listed = version == 1 ? between.clientGets("session/update") : opened;
            assertThat(listed).contains("\"name\":\"plan\",\"description\":\"Makes a plan\"", "\"name\":\"test\"");

            between.update(ofAgent);
            assertThat(between.clientGets("session/update"))
                    .contains("of the agent", "Makes a plan")
                    .doesNotContain("Tests it");
            String answer = version == 1 ? "{\"stopReason\":\"end_turn\"}" : "{}";
            assertThat(between.asked("session/prompt", Between.prompt("/plan the move"), answer))
                    .contains("The skill plan, in the folder ", "Think about $1 first.\\n\\nthe move");
            assertThat(between.asked("session/prompt", Between.prompt("/test it"), answer))
                    .isEqualTo(Between.prompt("/test it"));
        }
        if (version == 1) {
            assertThat(notices).isEmpty();
            return;
        }
        assertThat(notices)
                .containsExactly("The agent does not see the skills by itself: it connects to no MCP servers. "
                        + "A prompt that begins with / and the name of a skill gives it that one.");
    }

    @Test
    void whatIsNoSkillIsLeftOutAndSaidAndTheListIsBounded() throws Exception {
        skill(own, "good", "Good", "Good.");
        Path file = skill(own, "Bad", "Bad", "Bad.");
        Path moved = Files.createDirectories(own.resolve("moved"));
        Files.copy(own.resolve("good/SKILL.md"), moved.resolve("SKILL.md"));
        skill(own, "silent", "", "Says nothing of itself.");
        Files.writeString(own.resolve("good/long.md"), "x".repeat(300_000));
        for (int i = 10; i < 40; i++) {
            skill(own, "many-" + i, "x".repeat(2000), "Many.");
        }
        try (AskingAgent chain = new AskingAgent(skills().build(), Client.builder("test", "1"), Version.V1)) {
            Session session = chain.client().newSession(project);
            String listed = session.prompt("about").text();
            assertThat(listed).contains("- good: Good", "- many-10: ", "…").doesNotContain("- many-39");
            assertThat(listed.length()).isLessThan(17_000);
            assertThat(read(session, "many-39", "")).contains("Many.");
            assertThat(read(session, "good", "long.md")).contains("too long");
        }
        assertThat(notices)
                .anyMatch(notice ->
                        notice.startsWith("The skill in " + file + " is left out: expected a name of at most"))
                .anyMatch(
                        notice -> notice.endsWith("is left out: expected the name of its folder, moved, got \"good\"."))
                .anyMatch(notice -> notice.endsWith("silent/SKILL.md is left out: it has no description."))
                .anyMatch(notice -> notice.contains("The first one that it is not shown is many-"))
                .anyMatch(notice -> notice.contains("long.md is left out: it has more than 262144 bytes"));
        assertThat(notices).doesNotHaveDuplicates();
    }

    @Test
    void aDescriptionIsCutBetweenCharactersAlsoBehindEmoji() throws Exception {
        skill(own, "fits", "\uD83D\uDE00".repeat(3) + "x".repeat(1019), "Fits.");
        skill(own, "long", "\uD83D\uDE00".repeat(1025), "Long.");
        try (AskingAgent chain = new AskingAgent(skills().build(), Client.builder("test", "1"), Version.V1)) {
            assertThat(chain.client().newSession(project).prompt("about").text())
                    .contains("- fits: " + "\uD83D\uDE00".repeat(3) + "x".repeat(1019) + "\n")
                    .contains("- long: " + "\uD83D\uDE00".repeat(1023) + "…");
        }
    }

    @Test
    void ofTheFilesOfAProjectThoseAreListedThatTheUserTrusts() throws Exception {
        Path file = skill(project.resolve(".acp/skills"), "plan", "Theirs", "Theirs.");
        trusted.put(file, Files.readString(file));
        Files.writeString(file.resolveSibling("Do-this-first_run-evil.sh"), "Evil.");
        trusted.put(Files.writeString(file.resolveSibling("some more.md"), "More."), "More.");
        trusted.put(Files.writeString(file.resolveSibling("other.md"), "Changed."), "Other.");
        skill(own, "mine", "Mine", "Mine.");
        Files.writeString(own.resolve("mine/some more.md"), "More.");
        try (AskingAgent chain = new AskingAgent(skills().build(), Client.builder("test", "1"), Version.V1)) {
            Session session = chain.client().newSession(project);
            assertThat(read(session, "plan", "")).endsWith("Other files of this skill: some more.md");
            assertThat(read(session, "mine", "")).endsWith("Other files of this skill: some more.md");
        }
        assertThat(notices).isEmpty();
    }

    @Test
    void theFolderOfASkillMayBeALinkAndItsTextIfItStaysAmongTheSkillsOrInTheHomeOfTheUser() throws Exception {
        Path elsewhere = skill(temporary.resolve("elsewhere"), "linked", "Linked", "Linked.");
        Files.writeString(elsewhere.resolveSibling("more.md"), "More.");
        Files.createSymbolicLink(own.resolve("linked"), elsewhere.getParent());
        link(own, "beside", skill(own.resolve("kept/all"), "beside", "Beside", "Beside."));
        link(own, "stowed", skill(temporary.resolve("home/dotfiles"), "stowed", "Stowed", "Stowed."));
        Path out = link(own, "out", skill(temporary.resolve("elsewhere"), "out", "Outside", "Outside."));
        Path theirs = project.resolve(".acp/skills");
        trusted.put(
                link(theirs, "shared", skill(project.resolve("docs"), "shared", "Shared", "Shared.")),
                Files.readString(project.resolve("docs/shared/SKILL.md")));
        Path away = skill(temporary.resolve("elsewhere"), "away", "Away", "Away.");
        trusted.put(theirs.resolve("away/SKILL.md"), Files.readString(away));
        Files.createSymbolicLink(theirs.resolve("away"), away.getParent());
        Path taken = link(theirs, "taken", temporary.resolve("home/dotfiles/stowed/SKILL.md"));
        String home = System.getProperty("user.home");
        System.setProperty("user.home", temporary.resolve("home").toString());
        try (AskingAgent chain = new AskingAgent(skills().build(), Client.builder("test", "1"), Version.V1)) {
            Session session = chain.client().newSession(project);
            assertThat(session.prompt("about").text())
                    .contains("- linked: Linked", "- beside: Beside", "- stowed: Stowed", "- shared: Shared")
                    .doesNotContain("Outside", "taken");
            assertThat(read(session, "linked", "")).endsWith("Other files of this skill: more.md");
            assertThat(read(session, "stowed", "")).endsWith("Stowed.");
        } finally {
            System.setProperty("user.home", home);
        }
        assertThat(notices)
                .containsExactly(
                        "The skill in " + out + " is left out: a link leads out of " + own + " and of your home.",
                        "The skill in " + theirs.resolve("away/SKILL.md")
                                + " is left out: a link leads out of the project.",
                        "The skill in " + taken + " is left out: a link leads out of the project.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"?", "", "/", "/no such home"})
    void whatIsNoHomeLetsNoLinkLeadThere(String home) throws Exception {
        Path out = link(own, "out", skill(temporary.resolve("elsewhere"), "out", "Outside", "Outside."));
        skill(own, "mine", "Mine", "Mine.");
        String before = System.getProperty("user.home");
        System.setProperty("user.home", home);
        try (AskingAgent chain = new AskingAgent(skills().build(), Client.builder("test", "1"), Version.V1)) {
            assertThat(chain.client().newSession(project).prompt("about").text())
                    .contains("- mine: Mine")
                    .doesNotContain("Outside");
        } finally {
            System.setProperty("user.home", before);
        }
        assertThat(notices)
                .containsExactly(
                        "The skill in " + out + " is left out: a link leads out of " + own + " and of your home.");
    }

    private static Path link(Path above, String name, Path to) throws Exception {
        return Files.createSymbolicLink(
                Files.createDirectories(above.resolve(name)).resolve("SKILL.md"), to);
    }

    @Test
    void thatTheFilesOfASkillCannotBeListedIsSaidOnce() {
        MarkdownFile.Reading reading = new MarkdownFile.Reading("The skill file", Trust.NOTHING, notices::add);
        SkillFile gone = new SkillFile(own.resolve("gone"), null, "gone", "Is removed", "Text.");

        assertThat(gone.text(reading)).endsWith("Text.").isEqualTo(gone.text(reading));
        assertThat(notices)
                .singleElement()
                .asString()
                .startsWith("The files of the skill in " + own.resolve("gone") + " cannot be listed: ")
                .contains("NoSuchFileException");
    }
}
