package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Session;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Questions of a newcomer about this repository, as its agent answers them, and the files that have the answer. All are
 * asked in one session, which reads the repository once.
 */
class RepositoryAnswersTest {
    private static final Pattern PLACE = Pattern.compile("`([\\w./-]+\\.\\w+)(?::\\d+)?`");

    /** The file must be among the first {@code rank} of an answer. */
    private record Expected(String question, String file, int rank) {}

    private static final List<Expected> QUESTIONS = List.of(
            new Expected("where is the retry logic?", "http/src/main/java/dev/acp4j/http/Patience.java", 5),
            new Expected("how do I run the tests?", "CONTRIBUTING.md", 2),
            new Expected("what does class Session do?", "core/src/main/java/dev/acp4j/Session.java", 1),
            new Expected("explain Dispatcher", "core/src/main/java/dev/acp4j/rpc/Dispatcher.java", 1),
            new Expected("what does class Dispatcher do?", "core/src/main/java/dev/acp4j/rpc/Dispatcher.java", 1),
            new Expected("explain ProcessTree", "core/src/main/java/dev/acp4j/process/ProcessTree.java", 1),
            new Expected(
                    "explain core/src/main/java/dev/acp4j/process/LaunchedProcess.java",
                    "core/src/main/java/dev/acp4j/process/LaunchedProcess.java",
                    1),
            new Expected(
                    "what does class LaunchedProcess do?",
                    "core/src/main/java/dev/acp4j/process/LaunchedProcess.java",
                    1),
            new Expected(
                    "where is LaunchedProcess defined?",
                    "core/src/main/java/dev/acp4j/process/LaunchedProcess.java",
                    1),
            new Expected("who calls Launch.of?", "cli/src/main/java/dev/acp4j/cli/command/AgentLauncher.java", 3),
            new Expected("how does cancellation work?", "core/src/main/java/dev/acp4j/AgentTurn.java", 3),
            new Expected("what is the entry point of the command?", "cli/src/main/java/dev/acp4j/cli/Acp.java", 3),
            new Expected("what version of Java is needed?", "docs/decisions/0003-java-21-built-by-25.md", 3),
            new Expected("which modules depend on core?", "docs/decisions/dependencies.md", 3),
            new Expected("show me the README", "README.md", 1));

    private static List<String> files(String answer) {
        Set<String> files = new LinkedHashSet<>();
        Matcher place = PLACE.matcher(answer);
        while (place.find()) {
            files.add(place.group(1));
        }
        return List.copyOf(files);
    }

    @Test
    void theRightFileIsAmongTheFirst() throws Exception {
        try (Editor editor = Editor.of(ReferenceAgent.create())) {
            Session session = editor.open(Path.of("..").toRealPath());
            List<String> wrong = new ArrayList<>();
            for (Expected expected : QUESTIONS) {
                List<String> files = files(ShopSession.text(session.prompt(expected.question())));
                if (!files.stream().limit(expected.rank()).toList().contains(expected.file())) {
                    wrong.add(expected.question() + ": " + files);
                }
            }

            assertThat(wrong).isEmpty();
        }
    }

    @Test
    void whatIsNotThereAndWhatIsNotDoneIsSaid() throws Exception {
        try (Editor editor = Editor.of(ReferenceAgent.create())) {
            Session session = editor.open(Path.of("..").toRealPath());

            assertThat(ShopSession.text(session.prompt("what does class StdioTransport do?")))
                    .startsWith("There is no class `StdioTransport` in this workspace. Similar names:");
            assertThat(files(ShopSession.text(session.prompt("where is the retry logic?")))
                            .subList(0, 3))
                    .allSatisfy(file -> assertThat(file).contains("src/main/"));
            assertThat(ShopSession.text(
                            session.prompt("explain core/src/main/java/dev/acp4j/process/LaunchedProcess.java")))
                    .doesNotContain("<p>", "{@", "private ");
            assertThat(ShopSession.text(session.prompt("how do I run the tests?")))
                    .endsWith("This is built with Maven (`pom.xml`); `/run mvn -q test` runs the tests.\n");
            assertThat(ShopSession.text(session.prompt("delete the file CHANGELOG.md")))
                    .isEqualTo("I do not delete files: `/run rm CHANGELOG.md` does.\n");
        }
    }
}
