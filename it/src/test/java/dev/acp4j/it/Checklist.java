package dev.acp4j.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The acceptance checklist as the tests and decisions of this repository answer it: which test proves which item, and
 * which items a decision answers instead.
 */
final class Checklist {
    /** An area: its code, what it is about, and how many items it has. */
    record Area(String code, String title, int items) {
        List<String> numbers() {
            List<String> numbers = new ArrayList<>();
            for (int i = 1; i <= items; i++) {
                numbers.add("%s-%02d".formatted(code, i));
            }
            return numbers;
        }
    }

    /** Where an item is answered: a test by its sentence, or a decision. */
    record Answer(String text, String file) {}

    static final List<Area> AREAS = List.of(
            new Area("FRM", "Framing on byte streams", 30),
            new Area("ENV", "Classification of envelopes", 25),
            new Area("BAT", "Batches", 17),
            new Area("ERR", "Errors", 21),
            new Area("DSP", "Dispatch, order, concurrency", 20),
            new Area("HND", "Handlers and their registration", 24),
            new Area("REQ", "Outgoing requests", 16),
            new Area("CAN", "Cancellation", 28),
            new Area("CLS", "Closing and draining", 28),
            new Area("INI", "Initialization and versions", 27),
            new Area("SE1", "Sessions, version 1", 34),
            new Area("CBK", "Callbacks of the client", 20),
            new Area("AUT", "Authentication", 7),
            new Area("SCH", "Types and serialisation", 22),
            new Area("PRC", "Processes", 20),
            new Area("TRC", "Traces", 10),
            new Area("TST", "Test utilities", 8),
            new Area("SEC", "Hostile peers and secrets", 10),
            new Area("API", "Ergonomics", 10));

    private static final Pattern TAG = Pattern.compile("@Tag\\(\"([A-Z0-9]{3}-\\d{2})\"\\)");
    private static final Pattern METHOD = Pattern.compile("^\\s+(?:[a-z]+ )*void (\\w+)\\(");
    private static final Pattern CLASS = Pattern.compile("^(?:public |final |abstract )*(?:class|interface) (\\w+)");
    private static final Pattern DECIDED = Pattern.compile("\\*\\*([A-Z0-9]{3}-\\d{2})\\*\\*");

    private final Path root;
    private final Map<String, List<Answer>> answers = new TreeMap<>();

    private Checklist(Path root) {
        this.root = root;
    }

    static Checklist of(Path root) throws IOException {
        Checklist checklist = new Checklist(root);
        try (Stream<Path> modules = Files.list(root)) {
            for (Path module : modules.sorted().toList()) {
                // The testkit has tests for others to extend among its main sources.
                for (String folder : List.of("src/main/java", "src/test/java")) {
                    for (Path file : files(module.resolve(folder), ".java")) {
                        checklist.readTests(file);
                    }
                }
            }
        }
        for (Path file : files(root.resolve("docs/decisions"), ".md")) {
            checklist.readDecisions(file);
        }
        return checklist;
    }

    private static List<Path> files(Path folder, String end) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(end)).sorted().toList();
        }
    }

    private void readTests(Path file) {
        List<String> tags = new ArrayList<>();
        for (String line : lines(file)) {
            Matcher tag = TAG.matcher(line);
            while (tag.find()) {
                tags.add(tag.group(1));
            }
            @Nullable String name = name(line);
            if (name != null) {
                for (String item : tags) {
                    add(item, new Answer(sentence(name), path(file)));
                }
                tags.clear();
            }
        }
    }

    private static @Nullable String name(String line) {
        Matcher method = METHOD.matcher(line);
        if (method.find()) {
            return method.group(1);
        }
        Matcher type = CLASS.matcher(line);
        return type.find() ? type.group(1) : null;
    }

    private void readDecisions(Path file) {
        for (String line : lines(file)) {
            Matcher decided = DECIDED.matcher(line);
            while (decided.find()) {
                add(decided.group(1), new Answer("decided", path(file)));
            }
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String path(Path file) {
        return root.relativize(file).toString().replace('\\', '/');
    }

    private void add(String item, Answer answer) {
        List<Answer> known = answers.computeIfAbsent(item, key -> new ArrayList<>());
        if (!known.contains(answer)) {
            known.add(answer);
        }
    }

    /** Says {@code aTurnEnds} as {@code a turn ends}. */
    private static String sentence(String name) {
        return name.replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ")
                .toLowerCase(Locale.ROOT);
    }

    /** Returns the items of an area that nothing answers. */
    List<String> gaps(Area area) {
        List<String> gaps = new ArrayList<>(area.numbers());
        gaps.removeAll(answers.keySet());
        return gaps;
    }

    /** Returns items that are answered and that no area has: typing errors. */
    List<String> unknown() {
        List<String> unknown = new ArrayList<>(answers.keySet());
        AREAS.forEach(area -> unknown.removeAll(area.numbers()));
        return unknown;
    }

    /** Returns the page. */
    String page() {
        StringBuilder page = new StringBuilder("""
                # Checklist

                Which test proves which item of the acceptance checklist of ACP implementations, and which items a decision answers instead.
                This page is made from the tests by `ChecklistTest`, which fails when it is out of date.

                | area | | items | answered |
                |---|---|---|---|
                """);
        for (Area area : AREAS) {
            int open = gaps(area).size();
            page.append("| [%s](#%s) | %s | %d | %d |\n"
                    .formatted(
                            area.code(),
                            area.code().toLowerCase(Locale.ROOT),
                            area.title(),
                            area.items(),
                            area.items() - open));
        }
        AREAS.forEach(area -> append(page, area));
        return page.toString();
    }

    private void append(StringBuilder page, Area area) {
        page.append("\n## ")
                .append(area.code())
                .append("\n\n")
                .append(area.title())
                .append(".\n\n| item | test | where |\n|---|---|---|\n");
        for (String item : area.numbers()) {
            List<Answer> found = answers.getOrDefault(item, List.of());
            if (found.isEmpty()) {
                page.append("| ").append(item).append(" | open | |\n");
            }
            for (Answer answer : found) {
                String name = answer.file().substring(answer.file().lastIndexOf('/') + 1);
                page.append("| %s | %s | [%s](../%s) |\n".formatted(item, answer.text(), name, answer.file()));
            }
        }
    }
}
