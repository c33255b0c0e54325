package dev.acp4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Holds the Java code of the README and of the pages in docs against programs that are compiled and run. Before each
 * block stands where it is from: {@code <!-- EchoAgent -->} is the whole file without its package and comment, and
 * {@code <!-- AgentRecipes: stream -->} the part between {@code // recipe: stream} and {@code // end}.
 */
class SnippetsTest {
    private static final Path ROOT = Path.of("..");
    private static final List<Path> SOURCES = List.of(
            ROOT.resolve("examples/src/main/java/dev/acp4j/examples"),
            ROOT.resolve("examples/src/test/java/dev/acp4j/examples"),
            ROOT.resolve("frameworks/src/main/java/dev/acp4j/frameworks"),
            ROOT.resolve("it/src/test/java/dev/acp4j/it/samework"));
    private static final Pattern SHOWN =
            Pattern.compile("(?:<!-- (\\w+)(?:: ([\\w-]+))? -->\n)?```java\n((?://[^\n]*\n)*)(.*?)```", Pattern.DOTALL);
    private static final Pattern RECIPE = Pattern.compile(" *// recipe: ([\\w-]+)\n(.*?) *// end\n", Pattern.DOTALL);
    /** A link to a file of this repository, with or without an anchor. */
    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:|#)([^)#\\s]+)(?:#([^)\\s]+))?\\)");

    private static final Pattern IN_JAVADOC = Pattern.compile(" \\* <pre>\\{@code\n(.*?) \\* }</pre>", Pattern.DOTALL);

    static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
        try (Stream<Path> files = Files.list(ROOT.resolve("docs"))) {
            files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
        }
        return pages;
    }

    @ParameterizedTest
    @MethodSource("pages")
    @Tag("API-09")
    void thePageShowsCodeAsItStandsInItsSource(Path page) throws IOException {
        String text = Files.readString(page);
        StringBuilder expected = new StringBuilder();
        Matcher shown = SHOWN.matcher(text);
        while (shown.find()) {
            assertThat(shown.group(1))
                    .as("%s: before this block there is no <!-- Program -->:%n%s", page, shown.group(4))
                    .isNotNull();
            String head = shown.group().substring(0, shown.start(4) - shown.start());
            String code = shown.group(2) == null ? program(shown.group(1)) : recipe(shown.group(1), shown.group(2));
            shown.appendReplacement(expected, Matcher.quoteReplacement(head + code + "```"));
        }
        shown.appendTail(expected);
        if (Boolean.getBoolean("snippets.write")) {
            Files.writeString(page, expected);
        }

        assertThat(Files.readString(page))
                .as("%s; -Dsnippets.write=true writes it again from the sources", page)
                .isEqualTo(expected.toString());
    }

    @Test
    void eachRecipeIsShown() throws IOException {
        Set<String> shown = new TreeSet<>();
        for (Path page : pages()) {
            SHOWN.matcher(Files.readString(page))
                    .results()
                    .forEach(block -> shown.add(block.group(1) + ": " + block.group(2)));
        }

        for (Path folder : SOURCES) {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    String name = file.getFileName().toString().replace(".java", "");
                    RECIPE.matcher(Files.readString(file))
                            .results()
                            .forEach(recipe -> assertThat(shown).contains(name + ": " + recipe.group(1)));
                }
            }
        }
    }

    @Test
    void theTablesOfTheMigrationPageShowPiecesOfPrograms() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/migration.md"));
        int kotlin = page.indexOf("## From the Kotlin SDK");

        assertThat(codeIn(page.substring(0, kotlin), 3, "[.(]"))
                .hasSizeGreaterThan(20)
                .allSatisfy(piece -> assertThat(source("Migration")).contains(piece));
        assertThat(codeIn(page.substring(kotlin), 3, "[.(]"))
                .hasSizeGreaterThan(20)
                .allSatisfy(piece -> assertThat(source("Migration")).contains(piece));
        Path sdk = ROOT.resolve("it/src/test/kotlin/dev/acp4j/it/sdk");
        String programs = Files.readString(sdk.resolve("KotlinSdkAgent.kt"))
                + Files.readString(sdk.resolve("KotlinSdkClient.kt"));
        assertThat(codeIn(page.substring(kotlin), 2, "[(]"))
                .hasSizeGreaterThan(20)
                .allSatisfy(piece -> assertThat(programs).contains(piece));
    }

    /** Returns the pieces of code in a column of the tables that have one of these characters. */
    private static List<String> codeIn(String page, int column, String characters) {
        return page.lines()
                .filter(line -> line.startsWith("| ")
                        && line.chars().filter(c -> c == '|').count() == 4)
                .flatMap(line -> Pattern.compile("`([^`]*" + characters + "[^`]*)`")
                        .matcher(line.split("\\|", -1)[column])
                        .results())
                .map(found -> found.group(1))
                .toList();
    }

    /** Pages that a newcomer to the project looks for, and all that they and the documentation link to, are there. */
    @Test
    void linksBetweenPagesLeadSomewhere() throws IOException {
        List<Path> all = new ArrayList<>(pages());
        for (String name : List.of("CHANGELOG", "CODE_OF_CONDUCT", "CONTRIBUTING", "SECURITY")) {
            all.add(ROOT.resolve(name + ".md"));
        }
        List<String> broken = new ArrayList<>();
        for (Path page : all) {
            Matcher link = LINK.matcher(Files.readString(page));
            while (link.find()) {
                Path target = page.resolveSibling(link.group(1)).normalize();
                if (!Files.exists(target) || !hasHeading(target, link.group(2))) {
                    broken.add(page + ": " + link.group());
                }
            }
        }

        assertThat(broken).isEmpty();
        assertThat(Files.readString(ROOT.resolve("README.md")))
                .contains("(CONTRIBUTING.md)", "(SECURITY.md)", "(LICENSE)");
        assertThat(Files.readString(ROOT.resolve("CONTRIBUTING.md"))).contains("(CODE_OF_CONDUCT.md)");
        assertThat(Files.readString(ROOT.resolve("LICENSE"))).contains("Apache License", "Version 2.0");
    }

    /** Returns whether a page has a heading with this anchor. */
    private static boolean hasHeading(Path page, @Nullable String anchor) throws IOException {
        return anchor == null
                || Files.readString(page)
                        .lines()
                        .filter(line -> line.startsWith("#"))
                        .map(line -> line.replaceFirst("^#+ ", "")
                                .toLowerCase(Locale.ROOT)
                                .replaceAll("[^\\p{L}\\p{N}\\-_ ]", "")
                                .replace(' ', '-'))
                        .anyMatch(anchor::equals);
    }

    @ParameterizedTest
    @MethodSource("tours")
    void theJavadocShowsPiecesOfExamples(Path source) throws IOException {
        List<String> shown = IN_JAVADOC
                .matcher(Files.readString(source))
                .results()
                .map(found -> found.group(1))
                .toList();

        assertThat(shown).isNotEmpty();
        for (String piece : shown) {
            assertThat(sources())
                    .as("%s shows%n%s", source, piece)
                    .anySatisfy(from -> assertThat(bare(from)).contains(bare(piece)));
        }
    }

    static List<Path> tours() {
        Path core = ROOT.resolve("core/src/main/java/dev/acp4j");
        Path nes = ROOT.resolve("nes/src/main/java/dev/acp4j/nes");
        Stream<Path> ofNes =
                Stream.of("NesAgent", "NesSession", "TextDocument").map(name -> nes.resolve(name + ".java"));
        Stream<Path> ofCore = Stream.of(
                        "package-info",
                        "process/package-info",
                        "rpc/package-info",
                        "trace/package-info",
                        "Agent",
                        "AgentTurn",
                        "Client",
                        "Session")
                .map(name -> core.resolve(name + ".java"));
        Path servlet = ROOT.resolve("http/src/main/java/dev/acp4j/http/AcpServlet.java");
        return Stream.of(ofCore, ofNes, Stream.of(servlet))
                .flatMap(each -> each)
                .toList();
    }

    private static List<String> sources() throws IOException {
        List<String> sources = new ArrayList<>();
        for (Path folder : SOURCES) {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    sources.add(Files.readString(file));
                }
            }
        }
        return sources;
    }

    private static String source(String name) throws IOException {
        for (Path folder : SOURCES) {
            Path file = folder.resolve(name + ".java");
            if (Files.exists(file)) {
                return Files.readString(file);
            }
        }
        throw new AssertionError("no program " + name + " in " + SOURCES);
    }

    private static String program(String name) throws IOException {
        return source(name).replaceFirst("^package .*;\n\n", "").replaceFirst("(?s)(\n\n)/\\*\\*.*?\\*/\n", "$1");
    }

    private static String recipe(String file, String name) throws IOException {
        Matcher recipe = RECIPE.matcher(source(file));
        while (recipe.find()) {
            if (recipe.group(1).equals(name)) {
                return recipe.group(2).stripTrailing().stripIndent() + "\n";
            }
        }
        throw new AssertionError("no recipe " + name + " in " + file);
    }

    /** Returns the lines without indentation, comments and empty ones. */
    private static String bare(String code) {
        return code.lines()
                .map(line -> line.replaceFirst("^ *\\* ?", "").strip())
                .filter(line -> !line.isEmpty() && !line.startsWith("/**") && !line.startsWith("package "))
                .collect(Collectors.joining("\n", "\n", "\n"));
    }
}
