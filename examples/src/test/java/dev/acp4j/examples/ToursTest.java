package dev.acp4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds the code in the README and in the tours of the packages against the programs that it is from. */
class ToursTest {
    private static final Path ROOT = Path.of("..");
    private static final Path SOURCES = Path.of("src/main/java/dev/acp4j/examples");
    private static final Pattern IN_JAVADOC = Pattern.compile(" \\* <pre>\\{@code\n(.*?) \\* }</pre>", Pattern.DOTALL);
    private static final Pattern IN_MARKDOWN = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern PROGRAM = Pattern.compile("bin/example ([A-Z]\\w*[a-z]\\w*)");

    @ParameterizedTest
    @ValueSource(strings = {"", "process/", "rpc/", "trace/"})
    void theTourOfAPackageShowsPiecesOfExamples(String folder) throws IOException {
        String tour = Files.readString(ROOT.resolve("core/src/main/java/dev/acp4j/" + folder + "package-info.java"));

        assertThat(shown(IN_JAVADOC, tour)).isNotEmpty().allSatisfy(ToursTest::isPieceOfAnExample);
    }

    @Test
    void theReadmeShowsPiecesOfExamples() throws IOException {
        List<String> shown = shown(IN_MARKDOWN, Files.readString(ROOT.resolve("README.md")));

        assertThat(shown).hasSize(2);
        isPieceOfAnExample(shown.getFirst());
        // The client starts a real agent there, where the example starts what its arguments say.
        isPieceOfAnExample(shown.getLast().lines().skip(1).collect(Collectors.joining("\n")));
    }

    @Test
    void thePageOfExamplesNamesAllPrograms() throws IOException {
        String page = Files.readString(Path.of("README.md"));

        for (String example : examples().stream()
                .filter(source -> source.contains("void main("))
                .toList()) {
            String name = example.replaceFirst("(?s).*?final class (\\w+).*", "$1");
            assertThat(page).contains("[" + name + "](src/main/java/dev/acp4j/examples/" + name + ".java)");
        }
        assertThat(shown(PROGRAM, page))
                .allSatisfy(name -> assertThat(SOURCES.resolve(name + ".java")).exists());
    }

    private static void isPieceOfAnExample(String shown) throws IOException {
        assertThat(examples())
                .as(shown)
                .anySatisfy(source -> assertThat(bare(source)).contains(bare(shown)));
    }

    private static List<String> shown(Pattern pattern, String page) {
        return pattern.matcher(page).results().map(found -> found.group(1)).toList();
    }

    private static List<String> examples() throws IOException {
        try (Stream<Path> files = Files.list(SOURCES)) {
            List<String> sources = new ArrayList<>();
            for (Path file : files.sorted().toList()) {
                sources.add(Files.readString(file));
            }
            return sources;
        }
    }

    /** Returns the lines without indentation, comments and empty ones. */
    private static String bare(String code) {
        return code.lines()
                .map(line -> line.replaceFirst("^ \\* ?", "").strip())
                .filter(line -> !line.isEmpty() && !line.startsWith("/**") && !line.startsWith("package "))
                .collect(Collectors.joining("\n", "\n", "\n"));
    }
}
