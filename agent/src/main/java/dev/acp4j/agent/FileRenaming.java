package dev.acp4j.agent;

import dev.acp4j.schema.ToolCallLocation;
import dev.acp4j.schema.ToolKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Renames the files that are named after something that was renamed, after asking once for all of them: a Java class
 * must be in a file of its name. Git notices the renames when they are committed.
 */
final class FileRenaming {
    private final Work work;
    private final boolean fromGit;
    private final List<Move> moves = new ArrayList<>();

    /** A new name, which no file has. */
    private record Move(WorkspaceFile file, Path target, String targetName) {
        @Override
        public String toString() {
            return Markdown.code(file.name()) + " → " + Markdown.code(targetName);
        }

        String command(boolean git) {
            return (git ? "git mv -- " : "mv -- ") + Intent.shellWord(file.name()) + " " + Intent.shellWord(targetName);
        }
    }

    private FileRenaming(Work work, boolean fromGit) {
        this.work = work;
        this.fromGit = fromGit;
    }

    /**
     * Finds the files of {@code scope} that have the old name in theirs, other than {@code refused} ones; none without
     * a renaming. Files are compared by their paths: those that were just written have another size and time.
     */
    static FileRenaming of(Work work, Scope scope, @Nullable Replacement renaming, List<WorkspaceFile> refused)
            throws InterruptedException, IOException {
        FileListing listing = work.workspace().files().list();
        FileRenaming found = new FileRenaming(work, listing.fromGit());
        List<Path> kept = refused.stream().map(WorkspaceFile::path).toList();
        if (renaming == null) {
            return found;
        }
        for (WorkspaceFile file : listing.files()) {
            Replacement.Replaced renamed = renaming.in(file.fileName());
            if (renamed.count() > 0 && scope.includes(file) && !kept.contains(file.path())) {
                found.add(file, renamed.text());
            }
        }
        return found;
    }

    private void add(WorkspaceFile file, String newName) {
        Path target = file.path().resolveSibling(newName);
        if (!Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            moves.add(new Move(file, target, work.workspace().files().nameOf(target)));
        }
    }

    boolean isEmpty() {
        return moves.isEmpty();
    }

    /** "Rename A.java to B.java", or the number of files. */
    String title() {
        Move first = moves.getFirst();
        return moves.size() == 1
                ? "Rename " + first.file().name() + " to " + first.target().getFileName()
                : "Rename " + moves.size() + " files";
    }

    /** Shows what would be renamed. */
    void preview() throws InterruptedException {
        work.say(Markdown.list("These files would be renamed", shown(moves)));
    }

    /**
     * Asks, and renames. If that is refused, it gives the commands that do the same. Returns whether all were renamed.
     */
    boolean run() throws InterruptedException {
        Step step = work.step(
                title(),
                ToolKind.MOVE,
                new Facts()
                        .put(
                                "files",
                                moves.stream().map(move -> move.file().name()).toList())
                        .put("names", moves.stream().map(Move::targetName).toList())
                        .json());
        step.locations(moves.stream()
                .map(move -> ToolCallLocation.of(move.file().path().toString()))
                .toList());
        step.show(String.join("\n", shown(moves)));
        if (!work.mayDo(Work.Action.WRITE, step)) {
            step.fail("Not done: it was not allowed.");
            List<String> commands = moves.stream()
                    .map(move -> Markdown.code("/run " + move.command(fromGit)))
                    .toList();
            work.say(Markdown.list("Files were not renamed. These commands rename them", commands));
            return false;
        }
        step.start();
        List<Move> done = new ArrayList<>();
        List<String> failed = new ArrayList<>();
        for (Move move : moves) {
            work.turn().checkCancelled();
            rename(move, done, failed);
        }
        end(step, done, failed);
        work.say(Markdown.list("Renamed", shown(done)));
        work.say(Markdown.list("Not renamed", failed));
        return failed.isEmpty();
    }

    private static void rename(Move move, List<Move> done, List<String> failed) {
        try {
            Files.move(move.file().path(), move.target());
            done.add(move);
        } catch (IOException e) {
            failed.add(Markdown.code(move.file().name()) + ": " + e.getMessage());
        }
    }

    private static void end(Step step, List<Move> done, List<String> failed) throws InterruptedException {
        step.output(new Facts()
                .put("renamed", done.stream().map(Move::targetName).toList())
                .put("problems", failed)
                .json());
        if (failed.isEmpty()) {
            step.complete();
        } else {
            step.fail(String.join("\n", failed));
        }
    }

    private static List<String> shown(List<Move> moves) {
        return moves.stream().map(Move::toString).toList();
    }
}
