package dev.acp4j.it;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
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
    /** An area: its code, and what it is about. */
    record Area(String code, String title) {
        List<String> numbers() {
            return TEXTS.keySet().stream()
                    .filter(item -> item.startsWith(code + "-"))
                    .toList();
        }
    }

    /** Where an item is answered: a test by its sentence, or a decision. */
    record Answer(String text, String file) {}

    static final List<Area> AREAS = List.of(
            new Area("FRM", "Framing on byte streams"),
            new Area("ENV", "Classification of envelopes"),
            new Area("BAT", "Batches"),
            new Area("ERR", "Errors"),
            new Area("DSP", "Dispatch, order, concurrency"),
            new Area("HND", "Handlers and their registration"),
            new Area("REQ", "Outgoing requests"),
            new Area("CAN", "Cancellation"),
            new Area("CLS", "Closing and draining"),
            new Area("INI", "Initialization and versions"),
            new Area("RTR", "Choosing and converting versions"),
            new Area("SE1", "Sessions, version 1"),
            new Area("SE2", "Sessions, version 2"),
            new Area("CBK", "Callbacks of the client"),
            new Area("AUT", "Authentication"),
            new Area("SCH", "Types and serialisation"),
            new Area("PRC", "Processes"),
            new Area("TRC", "Traces"),
            new Area("TST", "Test utilities"),
            new Area("SEC", "Hostile peers and secrets"),
            new Area("API", "Ergonomics"),
            new Area("NES", "What has left the schemas"),
            new Area("MCP", "MCP over ACP"),
            new Area("MCX", "MCP servers, for agents and for clients"),
            new Area("PRX", "What chains of proxies do on the wire"),
            new Area("PXL", "Proxies"),
            new Area("CON", "Conductor"),
            new Area("RMP", "Ready-made proxies"),
            new Area("HTS", "Streamable HTTP, server"),
            new Area("HTC", "Clients over HTTP"),
            new Area("WSK", "WebSocket"),
            new Area("DUR", "Durable streams"),
            new Area("HST", "Hosting"),
            new Area("CNX", "Remote agents from the command line"),
            new Area("LOD", "Load and cost"),
            new Area("REG", "Agents by name"),
            new Area("EDT", "Use in editors"));

    /** What each item says, by its number. */
    private static final Map<String, String> TEXTS = texts();

    private static final Pattern TAG = Pattern.compile("@Tag\\(\"([A-Z0-9]{3}-\\d{2})\"\\)");
    private static final Pattern METHOD =
            Pattern.compile("^\\s+(?:[a-z]+ )*(?:void|[A-Z]\\w*(?:<[\\w<>?, ]+>)?) (\\w+)\\(");
    private static final Pattern CLASS = Pattern.compile("^(?:public |final |abstract )*(?:class|interface) (\\w+)");
    private static final Pattern DECIDED = Pattern.compile("\\*\\*([A-Z0-9]{3}-\\d{2})\\*\\*");

    private final Path root;
    private final Map<String, List<Answer>> answers = new TreeMap<>();

    private Checklist(Path root) {
        this.root = root;
    }

    private static Map<String, String> texts() {
        try (InputStream file = Objects.requireNonNull(Checklist.class.getResourceAsStream("checklist.txt"))) {
            Map<String, String> texts = new TreeMap<>();
            for (String line : new String(file.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1)) {
                int space = line.indexOf(' ');
                if (space > 0) {
                    texts.put(line.substring(0, space), line.substring(space + 1));
                }
            }
            return texts;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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

                Items of an acceptance checklist for implementations of ACP, each with the tests that show it, or the decision that answers it instead.
                `ChecklistTest` generates this page from the tags of the tests, and fails when it is out of date.

                | area | | items | answered |
                |---|---|---|---|
                """);
        for (Area area : AREAS) {
            int items = area.numbers().size();
            page.append("| [%s](#%s) | %s | %d | %d |\n"
                    .formatted(
                            area.code(),
                            area.code().toLowerCase(Locale.ROOT),
                            area.title(),
                            items,
                            items - gaps(area).size()));
        }
        AREAS.forEach(area -> append(page, area));
        return page.toString();
    }

    private void append(StringBuilder page, Area area) {
        page.append("\n## ")
                .append(area.code())
                .append("\n\n")
                .append(area.title())
                .append(".\n\n| item | says; shown by | where |\n|---|---|---|\n");
        for (String item : area.numbers()) {
            List<Answer> found = answers.getOrDefault(item, List.of());
            String text = Objects.requireNonNull(TEXTS.get(item)).replace("|", "\\|");
            page.append("| **%s** | **%s** | %s |\n".formatted(item, text, found.isEmpty() ? "open" : ""));
            for (Answer answer : found) {
                String name = answer.file().substring(answer.file().lastIndexOf('/') + 1);
                page.append("| | %s | [%s](../%s) |\n".formatted(answer.text(), name, answer.file()));
            }
        }
    }
}
