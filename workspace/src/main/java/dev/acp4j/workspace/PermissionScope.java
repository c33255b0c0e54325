package dev.acp4j.workspace;

import dev.acp4j.Entry;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallLocation;
import dev.acp4j.schema.ToolKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one session that a choice of <i>always</i> covers, see {@link RememberedPermissions}. Two scopes are
 * equal if they cover the same.
 *
 * <p>Immutable.
 */
public final class PermissionScope {
    /** Which requests a scope covers. */
    private enum Breadth {
        /** Those that are identical. */
        IDENTICAL,
        /** Edits of files in the folders of the session. */
        EDITS_INSIDE,
        /** All commands. */
        COMMANDS
    }

    /** The described effect of a tool call. */
    private record Subject(
            String title,
            @Nullable String name,
            List<ToolCallContent> content,
            List<ToolCallLocation> locations,
            @Nullable RawJson rawInput) {}

    private final SessionId session;
    private final ToolKind kind;
    private final Breadth breadth;

    /** What identical requests have in common; null for the other breadths. */
    private final @Nullable Subject subject;

    private PermissionScope(SessionId session, ToolKind kind, Breadth breadth, @Nullable Subject subject) {
        this.session = session;
        this.kind = kind;
        this.breadth = breadth;
        this.subject = subject;
    }

    /**
     * Returns what a choice of <i>always</i> for a request covers: if it allows an edit of files in the folders of the
     * session, all such edits; else identical requests. They are identical if title, kind, input, content and files are
     * equal: a command that differs in one character is another one.
     *
     * @param always {@link PermissionOptionKind#ALLOW_ALWAYS} or {@link PermissionOptionKind#REJECT_ALWAYS}
     * @return empty for a tool call without details, or a command without an input: a title alone, such as "Run a
     *     command", can mean anything
     */
    public static Optional<PermissionScope> of(PermissionQuestion request, PermissionOptionKind always) {
        Entry.ToolCall call = request.toolCall();
        if (call == null
                || (call.rawInput() == null
                        && call.content().isEmpty()
                        && call.locations().isEmpty())) {
            return Optional.empty();
        }
        if (call.kind().equals(ToolKind.EXECUTE) && !saysCommand(call.rawInput())) {
            return Optional.empty();
        }
        SessionId session = request.session().id();
        if (always.isAllow() && isEditInside(call, request.session().roots())) {
            return Optional.of(new PermissionScope(session, call.kind(), Breadth.EDITS_INSIDE, null));
        }
        Subject subject = new Subject(request.title(), call.name(), call.content(), call.locations(), call.rawInput());
        return Optional.of(new PermissionScope(session, call.kind(), Breadth.IDENTICAL, subject));
    }

    /** Returns whether an input has members: without a command, every command would be the same. */
    private static boolean saysCommand(@Nullable RawJson input) {
        return input != null
                && input.value() instanceof JsonObject members
                && !members.members().isEmpty();
    }

    private static boolean isEditInside(Entry.ToolCall call, List<Path> roots) {
        if (!call.kind().equals(ToolKind.EDIT)) {
            return false;
        }
        List<String> paths = new ArrayList<>();
        call.locations().forEach(location -> paths.add(location.path()));
        for (ToolCallContent content : call.content()) {
            if (content instanceof ToolCallContent.Diff diff) {
                paths.add(diff.path());
            } else if (!(content instanceof ToolCallContent.Content)) {
                return false;
            }
        }
        return !paths.isEmpty() && paths.stream().allMatch(path -> isInside(path, roots));
    }

    private static boolean isInside(String name, List<Path> roots) {
        try {
            Path path = Path.of(name);
            if (!path.isAbsolute()) {
                return false;
            }
            Path real = real(path.normalize());
            for (Path root : roots) {
                Path inside = real(root.normalize());
                // What is in .git runs as a program of the user.
                if (real.startsWith(inside) && !inside.relativize(real).startsWith(".git")) {
                    return true;
                }
            }
            return false;
        } catch (InvalidPathException | IOException e) {
            return false;
        }
    }

    /** Returns where a file is, or will be: without the links in the part of its path that exists. */
    private static Path real(Path path) throws IOException {
        Path parent = path.getParent();
        if (parent == null || Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return path.toRealPath();
        }
        return real(parent).resolve(path.getFileName());
    }

    /** Returns the scope of all commands of the session; empty if this one does not cover a command. */
    public Optional<PermissionScope> widened() {
        return kind.equals(ToolKind.EXECUTE) && breadth == Breadth.IDENTICAL
                ? Optional.of(new PermissionScope(session, kind, Breadth.COMMANDS, null))
                : Optional.empty();
    }

    /** Returns whether the scope covers a request; {@code always} as for {@link #of}. */
    boolean covers(PermissionQuestion request, PermissionOptionKind always) {
        PermissionScope other = of(request, always).orElse(null);
        return other != null
                && (equals(other) || other.widened().filter(this::equals).isPresent());
    }

    /** Returns what the scope covers, such as {@code the same command, word for word}. */
    public String text() {
        return switch (breadth) {
            case IDENTICAL ->
                kind.equals(ToolKind.EXECUTE) ? "the same command, word for word" : "exactly the same request";
            case EDITS_INSIDE -> "edits in the folders of the session";
            case COMMANDS -> "all commands";
        };
    }

    /** Returns the title of the request if only identical ones are covered; it is the agent's text. */
    public Optional<String> title() {
        return Optional.ofNullable(subject).map(Subject::title);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PermissionScope scope
                && session.equals(scope.session)
                && kind.equals(scope.kind)
                && breadth == scope.breadth
                && Objects.equals(subject, scope.subject);
    }

    @Override
    public int hashCode() {
        return Objects.hash(session, kind, breadth, subject);
    }

    /** Returns {@link #text()} and the title. */
    @Override
    public String toString() {
        return text() + title().map(title -> ": " + title).orElse("");
    }
}
