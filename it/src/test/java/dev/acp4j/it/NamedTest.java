package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A test that a page names as {@code module:Class#method}.
 *
 * @param module its folder below the root
 * @param type its class, without the package
 * @param method its method
 */
record NamedTest(String module, String type, String method) {
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    static NamedTest of(String text) {
        String[] parts = text.split("[:#]", -1);
        assertThat(parts).as("module:Class#method, got %s", text).hasSize(3);
        return new NamedTest(parts[0], parts[1], parts[2]);
    }

    /** Returns the tests that are named in a text, parted by spaces. */
    static List<NamedTest> all(String text) {
        return Stream.of(text.strip().split(" +", -1))
                .filter(test -> !test.isEmpty())
                .map(NamedTest::of)
                .toList();
    }

    /** Returns the file, below the root. */
    String file() throws IOException {
        // The testkit has tests for others to extend among its main sources.
        List<Path> found = new ArrayList<>();
        for (String folder : List.of("src/main/java", "src/test/java")) {
            Path sources = ROOT.resolve(module).resolve(folder);
            if (Files.isDirectory(sources)) {
                try (Stream<Path> files = Files.walk(sources)) {
                    files.filter(file -> file.endsWith(type + ".java")).forEach(found::add);
                }
            }
        }
        assertThat(found).as("files of %s", this).hasSize(1);
        return ROOT.relativize(found.getFirst()).toString().replace('\\', '/');
    }

    /** Returns whether there is such a method and JUnit runs it. */
    boolean runs() throws IOException {
        // Between the annotation and the method there may be values for it, but no other method.
        String between = "\\b(?:(?!\\n\\s+(?:static )?void ).)*?\\n\\s+";
        String test = "@(?:Test|ParameterizedTest|RepeatedTest)" + between + "void ";
        String factory = "@TestFactory" + between + "Stream<DynamicTest> ";
        return Pattern.compile("\\n\\s+(?:" + test + "|" + factory + ")" + method + "\\(", Pattern.DOTALL)
                .matcher(Files.readString(ROOT.resolve(file())))
                .find();
    }

    /** Returns a link to it for a page in docs. */
    String link() throws IOException {
        return "[%s#%s](../%s)".formatted(type, method, file());
    }

    @Override
    public String toString() {
        return module + ":" + type + "#" + method;
    }
}
