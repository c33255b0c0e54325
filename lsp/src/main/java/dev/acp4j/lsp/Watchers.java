package dev.acp4j.lsp;

import dev.acp4j.json.JsonReader;
import dev.acp4j.json.RawJson;
import java.lang.System.Logger.Level;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/** The files that a server wants to hear of when they change: patterns that it has registered. Thread-safe. */
final class Watchers {
    private static final System.Logger LOG = System.getLogger("dev.acp4j.lsp");
    private static final Pattern DRIVE = Pattern.compile("[A-Za-z]:");
    private static final String WATCHED = "workspace/didChangeWatchedFiles";

    private final List<Path> folders;
    private final Map<String, List<PathMatcher>> byId = new ConcurrentHashMap<>();

    Watchers(List<Path> folders) {
        this.folders = folders;
    }

    /** Whether the server has registered a file. */
    boolean match(Path file) {
        return byId.values().stream()
                .anyMatch(matchers -> matchers.stream().anyMatch(matcher -> matcher.matches(file)));
    }

    void register(@Nullable RawJson params) {
        for (RawJson registration : elements(Lsp.member(params, "registrations"))) {
            String id = Lsp.text(registration, "id");
            if (id != null && WATCHED.equals(Lsp.text(registration, "method"))) {
                List<PathMatcher> matchers = new ArrayList<>();
                RawJson options = Lsp.member(registration, "registerOptions");
                for (RawJson watcher : elements(Lsp.member(options, "watchers"))) {
                    add(Lsp.member(watcher, "globPattern"), matchers);
                }
                byId.put(id, matchers);
            }
        }
    }

    void unregister(@Nullable RawJson params) {
        // So is the member spelt.
        for (RawJson registration : elements(Lsp.member(params, "unregisterations"))) {
            String id = Lsp.text(registration, "id");
            if (id != null) {
                byId.remove(id);
            }
        }
    }

    private void add(@Nullable RawJson glob, List<PathMatcher> matchers) {
        if (glob == null) {
            return;
        }
        if (glob.reader().kind() == JsonReader.Kind.STRING) {
            String pattern = glob.reader().string();
            if (pattern.startsWith("/") || DRIVE.matcher(pattern).lookingAt()) {
                add("", pattern, matchers);
            } else {
                folders.forEach(folder -> add(prefix(folder), pattern, matchers));
            }
            return;
        }
        String pattern = Lsp.text(glob, "pattern");
        RawJson base = Lsp.member(glob, "baseUri");
        boolean isFolder = base != null && base.reader().kind() == JsonReader.Kind.OBJECT;
        String uri = isFolder ? Lsp.text(base, "uri") : Lsp.text(glob, "baseUri");
        Path folder = uri == null ? null : Lsp.path(uri);
        if (pattern != null && folder != null) {
            add(prefix(folder), pattern, matchers);
        }
    }

    private static String prefix(Path folder) {
        return folder.toString().replaceAll("[\\\\*?\\[\\]{}]", "\\\\$0") + "/";
    }

    private static void add(String prefix, String pattern, List<PathMatcher> matchers) {
        try {
            matchers.add(FileSystems.getDefault().getPathMatcher("glob:" + prefix + pattern));
            if (pattern.startsWith("**/")) {
                // Two asterisks may stand for no folder at all, here but not in Java.
                matchers.add(FileSystems.getDefault().getPathMatcher("glob:" + prefix + pattern.substring(3)));
            }
        } catch (PatternSyntaxException e) {
            // Nobody can tell which files are meant.
            LOG.log(Level.DEBUG, () -> "a pattern of files is not usable: " + pattern);
        }
    }

    private static List<RawJson> elements(@Nullable RawJson list) {
        List<RawJson> elements = new ArrayList<>();
        if (list != null && list.reader().kind() == JsonReader.Kind.ARRAY) {
            JsonReader in = list.reader();
            in.beginArray();
            while (in.nextElement()) {
                elements.add(in.raw());
            }
        }
        return elements;
    }
}
