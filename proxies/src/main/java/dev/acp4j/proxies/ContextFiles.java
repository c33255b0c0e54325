package dev.acp4j.proxies;

import dev.acp4j.proxy.Hop;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.SessionState;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.ResourceContents;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives the agent the rules of a project, such as {@code AGENTS.md}, with the first prompt of a session.
 *
 * <pre>{@code
 * Proxy context = ContextFiles.of("AGENTS.md", ".rules/style.md");
 * }</pre>
 *
 * <p>Each file is looked for in the session's folder and in those above it up to the root of the repository, which is
 * the folder with {@code .git}; without a repository in the session's folder only. The outermost comes first. Agents
 * that accept embedded resources get one for each file, others get text, between marks by which it is taken out again
 * where the conversation is replayed. A file is given once in a session, and again with the next prompt after it has
 * changed.
 *
 * <p>Files behind links that lead out of the repository are not read. Together the files of a prompt have at most 64
 * KiB; what is cut off is said in the text and reported.
 */
@Unstable
public final class ContextFiles {
    private static final String AGENTS_MD = "AGENTS.md";
    private static final Set<String> READ_AGENTS_MD = Set.of(
            "codex",
            "codex-acp",
            "opencode",
            "goose",
            "cursor-agent",
            "copilot",
            "amp-acp",
            "kimi",
            "kimi-cli",
            "kimi code cli");

    private final List<String> names;
    private final int maxBytes;
    private final @Nullable Set<String> notFor;
    private final Consumer<String> onNotice;
    private final Inserted inserted = new Inserted("context");
    private final SessionState<Given> given = SessionState.of(opening -> new Given(Sessions.cwd(opening.params())));

    /**
     * What a session was given.
     *
     * @param cwd its folder; null if it is none of this machine
     * @param digests the digest of each file as the agent has it, by a digest of its path
     */
    private record Given(@Nullable Path cwd, Map<String, String> digests) {
        Given(@Nullable Path cwd) {
            this(cwd, new ConcurrentHashMap<>());
        }

        /** Notes that the agent has this. */
        void add(String id) {
            int middle = id.indexOf('-');
            if (middle > 0) {
                digests.put(id.substring(0, middle), id);
            }
        }
    }

    /**
     * A file that was found.
     *
     * @param id a digest of its path, and one of its content
     */
    private record Found(Path file, String id, String text) {}

    private ContextFiles(Builder builder) {
        names = List.copyOf(builder.names);
        maxBytes = builder.maxBytes;
        notFor = builder.notFor;
        onNotice = builder.onNotice;
    }

    /**
     * Returns a proxy that gives these files.
     *
     * @param names their names, or paths relative to the folders that are searched
     * @throws IllegalArgumentException when there is none, or one leaves the folder
     */
    public static Proxy of(String... names) {
        return builder(names).build();
    }

    /**
     * Begins a proxy.
     *
     * @param names the names of the files, or paths relative to the folders that are searched
     * @throws IllegalArgumentException when there is none, or one leaves the folder
     */
    public static Builder builder(String... names) {
        return new Builder(List.of(names));
    }

    private Proxy proxy() {
        Proxy.Builder proxy = Proxy.builder("context", "1").state(given).onPrompt((prompt, hop) -> {
            Given session = hop.state(given);
            List<Found> files = missing(session, namesFor(hop));
            if (files.isEmpty()) {
                return hop.forward();
            }
            List<ContentBlock> blocks = blocks(files, takesResources(hop));
            blocks.addAll(prompt.prompt());
            files.forEach(file -> session.add(file.id));
            boolean isGiven = false;
            try {
                var answer = hop.forward(new PromptRequest(prompt.sessionId(), blocks, prompt.rest()));
                isGiven = !answer.isError();
                return answer;
            } finally {
                if (!isGiven) {
                    files.forEach(file -> session.digests.values().remove(file.id));
                }
            }
        });
        return inserted.takenOut(proxy, (hop, id) -> hop.state(given).add(id)).build();
    }

    /** Returns the names of the files that this agent does not read by itself. */
    private List<String> namesFor(Hop hop) {
        String agent = hop.initialized()
                .map(answer -> hop.version() == Version.V2 ? answer.info() : answer.agentInfo())
                .map(program -> program.name().toLowerCase(Locale.ROOT))
                .orElse("");
        if (notFor != null) {
            return notFor.contains(agent) ? List.of() : names;
        }
        return READ_AGENTS_MD.contains(agent)
                ? names.stream().filter(name -> !name.equals(AGENTS_MD)).toList()
                : names;
    }

    private static boolean takesResources(Hop hop) {
        return hop.initialized()
                .map(agent -> takesResources(agent, hop.version() == Version.V2))
                .orElse(false);
    }

    private static boolean takesResources(InitializeResponse agent, boolean isVersion2) {
        if (!isVersion2) {
            return agent.agentCapabilities().promptCapabilities().embeddedContext();
        }
        var session = agent.capabilities().session();
        return session != null && session.prompt() != null && session.prompt().embeddedContext() != null;
    }

    private List<ContentBlock> blocks(List<Found> files, boolean asResources) {
        List<ContentBlock> blocks = new ArrayList<>();
        int room = maxBytes;
        for (Found file : files) {
            byte[] bytes = file.text.getBytes(StandardCharsets.UTF_8);
            String text = file.text;
            if (bytes.length > room) {
                text = cut(bytes, room) + "\n[The rest of this file is left out.]";
                onNotice.accept(file.file + " is too long for the context: it is left out after " + room + " bytes.");
            }
            room = Math.max(0, room - bytes.length);
            String marked = inserted.text(file.id, "Rules of the project from " + file.file + ":\n\n" + text);
            blocks.add(
                    asResources
                            ? ContentBlock.resource(
                                    ResourceContents.text(file.file.toUri().toString(), marked))
                            : ContentBlock.text(marked));
        }
        return blocks;
    }

    /** Returns the first bytes as text, without a character that is cut through. */
    private static String cut(byte[] bytes, int length) {
        int end = length;
        while (end > 0 && (bytes[end] & 0xc0) == 0x80) {
            end--;
        }
        return new String(Arrays.copyOf(bytes, end), StandardCharsets.UTF_8);
    }

    // ---- files

    /** Returns the files that the agent does not have as they are; of those that cannot be read, none. */
    private List<Found> missing(Given session, List<String> names) {
        Path cwd = session.cwd;
        if (cwd == null) {
            return List.of();
        }
        List<Found> missing = new ArrayList<>();
        try {
            Path folder = cwd.toRealPath();
            Path root = root(folder);
            for (Path at = folder; at != null && at.startsWith(root); at = at.getParent()) {
                List<Found> here = new ArrayList<>();
                for (String name : names) {
                    Found found = read(at.resolve(name), root);
                    if (found != null && !session.digests.containsValue(found.id)) {
                        here.add(found);
                    }
                }
                missing.addAll(0, here);
            }
        } catch (IOException e) {
            onNotice.accept("The rules of the project cannot be read: " + e);
        }
        return missing;
    }

    private static Path root(Path folder) {
        for (Path at = folder; at != null; at = at.getParent()) {
            if (Files.exists(at.resolve(".git"))) {
                return at;
            }
        }
        return folder;
    }

    private @Nullable Found read(Path file, Path root) {
        byte[] bytes;
        try {
            if (!Files.isRegularFile(file) || !file.toRealPath().startsWith(root)) {
                return null;
            }
            try (InputStream in = Files.newInputStream(file)) {
                // Beyond that nobody reads it, and it may be endless.
                bytes = in.readNBytes(2 * maxBytes);
            }
        } catch (IOException e) {
            onNotice.accept("The file " + file + " cannot be read: " + e);
            return null;
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        String id = digest(file.toString().getBytes(StandardCharsets.UTF_8)) + "-" + digest(bytes);
        return text.isBlank() ? null : new Found(file, id, text);
    }

    private static String digest(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes), 0, 12);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Builds a proxy that gives files. */
    public static final class Builder {
        private final List<String> names;
        private int maxBytes = 64 * 1024;
        private @Nullable Set<String> notFor;
        private Consumer<String> onNotice = Notices::log;

        private Builder(List<String> names) {
            if (names.isEmpty()) {
                throw new IllegalArgumentException("expected at least one file");
            }
            List<String> below = new ArrayList<>();
            for (String name : names) {
                Path path = Path.of(name).normalize();
                if (path.isAbsolute()
                        || path.startsWith("..")
                        || path.toString().isEmpty()) {
                    throw new IllegalArgumentException(
                            "expected a file below the folders that are searched, got " + name);
                }
                below.add(path.toString());
            }
            this.names = below;
        }

        /**
         * Sets how many bytes the files of a prompt have at most; by default 64 KiB.
         *
         * @throws IllegalArgumentException unless it is from 1 to 16 MiB
         */
        public Builder maxBytes(int value) {
            if (value < 1 || value > 16 << 20) {
                throw new IllegalArgumentException("expected from 1 to 16 MiB, got " + value);
            }
            maxBytes = value;
            return this;
        }

        /**
         * Sets the agents that get no files, because they read them by themselves. By default those that are known to
         * read {@code AGENTS.md} get the other files.
         *
         * @param agents the names by which they present themselves in {@code initialize}; upper and lower case are the
         *     same
         */
        public Builder notFor(String... agents) {
            notFor = Set.copyOf(Arrays.stream(agents)
                    .map(name -> name.toLowerCase(Locale.ROOT))
                    .toList());
            return this;
        }

        /** Takes what a user should know, a sentence each, such as a file that was cut; logged by default. */
        public Builder onNotice(Consumer<String> listener) {
            onNotice = Objects.requireNonNull(listener);
            return this;
        }

        /** Builds the proxy. */
        public Proxy build() {
            return new ContextFiles(this).proxy();
        }
    }
}
