package dev.acp4j.it.samework;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The same agent and the same client, written with acp4j and with the Java SDK: each does its work with each of the
 * other, and docs/migration.md has how long they are. {@code -Dsame.write=true} writes that.
 */
@Timeout(120)
class SameWorkTest {
    private static final Path SOURCES = Path.of("src/test/java/dev/acp4j/it/samework");
    private static final Path PAGE = Path.of("../docs/migration.md");
    private static final Pattern TABLE =
            Pattern.compile("(?s)(<!-- same work: written by SameWorkTest -->\n).*?(<!-- same work: end -->)");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "NoteClient, NoteAgent",
        "NoteClient, JavaSdkNoteAgent",
        "JavaSdkNoteClient, NoteAgent",
        "JavaSdkNoteClient, JavaSdkNoteAgent"
    })
    void eachClientSeesTheSameWorkOfEachAgent(String client, String agent) throws Exception {
        List<String> command = new ArrayList<>(java(client));
        command.add(folder.toString());
        command.addAll(java(agent));
        Path printed = folder.resolve("printed");

        Process process = new ProcessBuilder(command)
                .redirectOutput(printed.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        boolean ended = process.waitFor(100, TimeUnit.SECONDS);
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();

        assertThat(ended && process.exitValue() == 0)
                .as(Files.readString(printed))
                .isTrue();
        assertThat(folder.resolve("note.txt")).hasContent("Buy milk");
        if (client.startsWith("JavaSdk")) {
            // It hears updates after the answer that they precede, and not always in their order.
            assertThat(Files.readAllLines(printed)).contains("end_turn");
            return;
        }
        assertThat(Files.readAllLines(printed))
                .containsSubsequence(
                        "Ask in_progress",
                        "Write pending",
                        "A note ",
                        "is written. ",
                        "Write note.txt pending",
                        "Write in_progress",
                        "Write note.txt in_progress",
                        "Write note.txt completed",
                        "Write completed",
                        "Done.",
                        "end_turn");
    }

    private static List<String> java(String program) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                SameWorkTest.class.getPackageName() + "." + program);
    }

    @Test
    void thePageHasHowLongTheyAre() throws IOException {
        String page = Files.readString(PAGE);
        String table = "| | acp4j | Java SDK |\n|---|---|---|\n"
                + row("an agent that plans, asks, writes a file and says so", "NoteAgent")
                + row("a client that shows it, allows it and writes the file", "NoteClient");
        String right = TABLE.matcher(page).replaceFirst("$1" + Matcher.quoteReplacement(table) + "$2");
        if (Boolean.getBoolean("same.write")) {
            Files.writeString(PAGE, right);
            return;
        }
        assertThat(page)
                .as("write it with: mvn verify -pl it -am -Dtest=SameWorkTest"
                        + " -Dsurefire.failIfNoSpecifiedTests=false -Dsame.write=true")
                .isEqualTo(right);
    }

    private static String row(String what, String name) throws IOException {
        return "| " + what + " | " + size(name) + " | " + size("JavaSdk" + name) + " |\n";
    }

    /** Returns how long a program is without what an editor writes by itself. */
    private static String size(String name) throws IOException {
        List<String> lines = Files.readAllLines(SOURCES.resolve(name + ".java")).stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty()
                        && !line.startsWith("package ")
                        && !line.startsWith("import ")
                        && !line.startsWith("@SuppressWarnings")
                        && !line.startsWith("/**"))
                .toList();
        String text = lines.stream().collect(joining("\n"));
        return String.format(Locale.ROOT, "%d lines, %,d characters", lines.size(), text.length());
    }
}
