package dev.acp4j.agent;

import dev.acp4j.schema.ToolKind;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** {@code /files}: lists the files. */
final class FilesCommand implements Command {
    private static final int MAX_LISTED = 100;
    private static final int MAX_RECENT = 20;

    @Override
    public String name() {
        return "files";
    }

    @Override
    public String description() {
        return "List the files of the workspace, or those that match; with --recent by their last change";
    }

    @Override
    public String hint() {
        return "glob, folder or part of a name; --recent";
    }

    @Override
    public void run(Work work, String arguments) throws InterruptedException, IOException {
        Arguments parsed = Arguments.parse(arguments, Set.of("recent"), Set.of());
        list(work, String.join(" ", parsed.words()), parsed.has("recent"));
    }

    /** Lists the files that match {@code pattern}; all when it is empty. */
    void list(Work work, String pattern) throws InterruptedException, IOException {
        list(work, pattern, false);
    }

    private static void list(Work work, String pattern, boolean recent) throws InterruptedException, IOException {
        Step step = work.step(
                pattern.isEmpty() ? "List the files" : "List files: " + pattern,
                ToolKind.SEARCH,
                new Facts().put("pattern", pattern).json());
        step.start();
        FileListing listing = work.workspace().files().list();
        List<WorkspaceFile> matching = matching(listing, pattern);
        step.output(new Facts()
                .put("matching", matching.size())
                .put("files", listing.files().size())
                .put("names", names(matching))
                .json());
        step.show(Markdown.count(matching.size(), "file", "files"));
        step.complete();
        if (listing.files().isEmpty()) {
            work.say(work.workspace().whyEmpty() + "\n");
        } else {
            work.say(recent ? newestFirst(matching) : text(listing, matching, pattern));
        }
    }

    /** Sorts by the time of the file system; for files of a checkout, that is the time of the checkout. */
    private static String newestFirst(List<WorkspaceFile> files) {
        List<String> lines = files.stream()
                .sorted(Comparator.comparingLong(WorkspaceFile::modified).reversed())
                .limit(MAX_RECENT)
                .map(file -> Markdown.code(file.name()) + " " + time(file.modified()))
                .toList();
        return lines.isEmpty() ? "No file matches.\n" : Markdown.list("Changed last", lines);
    }

    private static String time(long millis) {
        LocalDateTime time = LocalDateTime.ofInstant(Instant.ofEpochMilli(millis), ZoneId.systemDefault());
        return time.truncatedTo(ChronoUnit.MINUTES).toString().replace('T', ' ');
    }

    private static List<WorkspaceFile> matching(FileListing listing, String pattern) throws InterruptedException {
        if (pattern.isEmpty()) {
            return listing.files();
        }
        Scope scope = scope(pattern);
        List<WorkspaceFile> found = new ArrayList<>();
        for (WorkspaceFile file : listing.files()) {
            if (scope.includes(file)) {
                found.add(file);
            }
        }
        if (!found.isEmpty()) {
            return found;
        }
        String part = pattern.toLowerCase(Locale.ROOT);
        return listing.files().stream()
                .filter(file -> file.name().toLowerCase(Locale.ROOT).contains(part))
                .toList();
    }

    private static Scope scope(String pattern) {
        try {
            return Scope.of(List.of(pattern));
        } catch (IllegalArgumentException e) {
            throw new UsageException("not a glob: " + pattern);
        }
    }

    private static List<String> names(List<WorkspaceFile> files) {
        return files.stream().limit(MAX_LISTED).map(WorkspaceFile::name).toList();
    }

    private static String text(FileListing listing, List<WorkspaceFile> matching, String pattern) {
        StringBuilder text = new StringBuilder();
        if (matching.isEmpty()) {
            text.append("No file matches ").append(Markdown.code(pattern)).append(".\n");
        } else {
            text.append(Markdown.count(matching.size(), "file", "files"));
            text.append(
                    pattern.isEmpty()
                            ? ""
                            : " of " + Markdown.grouped(listing.files().size()));
            text.append(":\n\n");
            text.append(matching.size() > MAX_LISTED ? byFolder(matching) : oneByOne(matching));
        }
        if (listing.truncated()) {
            text.append("\nThere are more: only the first ")
                    .append(Markdown.grouped(listing.files().size()))
                    .append(" are looked at.\n");
        }
        return text.toString();
    }

    private static String oneByOne(List<WorkspaceFile> files) {
        StringBuilder text = new StringBuilder();
        files.stream()
                .sorted(Comparator.comparing(WorkspaceFile::name))
                .forEach(file -> text.append("- ")
                        .append(Markdown.code(file.name()))
                        .append(" ")
                        .append(SizeText.of(file.size()))
                        .append('\n'));
        return text.toString();
    }

    /** Lists the folders with their number of files, if there are too many files to list. */
    private static String byFolder(List<WorkspaceFile> files) {
        Map<String, Integer> folders = folders(files, 2);
        if (folders.size() > MAX_LISTED) {
            folders = folders(files, 1);
        }
        StringBuilder text = new StringBuilder();
        List<Map.Entry<String, Integer>> entries = new ArrayList<>(folders.entrySet());
        for (Map.Entry<String, Integer> folder : entries.subList(0, Math.min(MAX_LISTED, entries.size()))) {
            text.append("- ")
                    .append(Markdown.code(folder.getKey()))
                    .append(" ")
                    .append(Markdown.count(folder.getValue(), "file", "files"))
                    .append('\n');
        }
        return text.append("\n`/files` with a folder or a glob such as `*.java` shows names.\n")
                .toString();
    }

    private static Map<String, Integer> folders(List<WorkspaceFile> files, int depth) {
        Map<String, Integer> folders = new TreeMap<>();
        for (WorkspaceFile file : files) {
            int slash = -1;
            for (int i = 0; i < depth; i++) {
                int next = file.name().indexOf('/', slash + 1);
                slash = next < 0 ? slash : next;
            }
            folders.merge(slash < 0 ? "./" : file.name().substring(0, slash + 1), 1, Integer::sum);
        }
        return folders;
    }
}
