package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IntentTest {
    @TempDir
    Path folder;

    @BeforeEach
    void makeFiles() {
        new TestWorkspace(folder).file("README.md", "hello").file("pom.xml", "<project/>");
    }

    private @Nullable Intent intent(String prompt) {
        return Intent.of(prompt, new Workspace(List.of(folder)));
    }

    @ParameterizedTest
    @CsvSource({
        "Hi!, hello,''",
        "'Hey, ', hello,''",
        "thanks, thanks,''",
        "What can you do?, help,''",
        "help, help,''",
        "What is this project about?, summary,''",
        "Please summarize the workspace., summary,''",
        "list all files, files,''",
        "show files in src/main, files, src/main",
        "show me README.md, read, README.md",
        "open `README.md:3-4`, read, README.md:3-4",
        "'list the files, please', files,''",
        "could you list all files in src?, files, src",
        "list all TODOs, summary, notes",
        "what TODOs are there?, summary, notes",
        "are there any open fixmes left in the code?, summary, notes",
        "what files changed recently?, files, --recent",
        "which files have been changed lately, files, --recent",
        "show me the latest changes, files, --recent",
        "Please run the tests, run, mvn -q test",
        "run `echo please`, run, echo please",
        "run the tests, run, mvn -q test",
        "run `ls -l`, run, ls -l",
    })
    void someSentencesMeanACommand(String prompt, String command, String arguments) {
        assertThat(intent(prompt)).isEqualTo(new Intent(command, arguments));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "show me the retry logic",
                "open questions",
                "read missing.md",
                "what can the server do when it is full?",
                "which files run the tests?",
                "hi score table",
                "find notes about releases",
                "what changed in the retry policy?",
                "who lists todos?",
                "help with retries",
            })
    void mostSentencesAreQuestions(String prompt) {
        assertThat(intent(prompt)).isNull();
    }
}
