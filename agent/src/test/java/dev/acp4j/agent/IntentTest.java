package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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

    private @Nullable Intent intent(String prompt) throws Exception {
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
        "show me the readme, read, README.md",
        "open the POM, read, pom.xml",
        "rename RetryPolicy to RetryRule, fix, RetryPolicy -> RetryRule",
        "please rename the class `RetryPolicy` to `RetryRule` everywhere, fix, RetryPolicy -> RetryRule",
        "'replace \"old text\" by \"new text\" in all files', replace, '\"old text\" \"new text\"'",
    })
    void someSentencesMeanACommand(String prompt, String command, String arguments) throws Exception {
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
                "delete an order",
                "remove unused connections",
                "who made the payment?",
                "create an order",
                "git",
                "replace",
            })
    void mostSentencesAreQuestions(String prompt) throws Exception {
        assertThat(intent(prompt)).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "delete the file README.md | `/run rm README.md`",
                "remove README.md | `/run rm README.md`",
                "delete the file gone.md | There is no file `gone.md`",
                "git status | `/run git status`",
                "who wrote this? | `/run git shortlog -sn HEAD`",
                "who wrote README.md? | `/run git log --format=%an%n -- README.md`",
                "add a unit test for Lane | I cannot write code",
                "please implement the retry logic | I cannot write code",
                "write me a function that sorts | I cannot write code",
            })
    void whatTheAgentDoesNotDoIsDeclinedInASentence(String prompt, String said) throws Exception {
        assertThat(Objects.requireNonNull(intent(prompt)).command()).isEqualTo(Intent.DECLINED);
        assertThat(Objects.requireNonNull(intent(prompt)).arguments()).contains(said);
    }

    @Test
    void testsWithoutABuildFileAreNotSearchedFor() throws Exception {
        Files.delete(folder.resolve("pom.xml"));

        assertThat(Objects.requireNonNull(intent("run the tests")).arguments()).contains("no build file");
    }
}
