package dev.acp4j.agent;

import dev.acp4j.schema.ToolKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Computes the changes of a replacement, file by file, without making them. */
final class ChangeFinder {
    /** Changes one text; null if there is nothing to change in it. */
    interface Edit {
        Replacement.@Nullable Replaced in(WorkspaceFile file, String text) throws InterruptedException;
    }

    // Old and new text of all files are held until the user has answered.
    private static final long MAX_CHARACTERS = 64L << 20;

    private final Work work;
    private final Scope scope;
    private final FileAccess access;
    private final List<String> leftOut = new ArrayList<>();

    ChangeFinder(Work work, Scope scope) {
        this.work = work;
        this.scope = scope;
        this.access = new FileAccess(work.turn().files());
    }

    Scope scope() {
        return scope;
    }

    /** Returns the scope of the {@code --in} options. */
    static Scope scope(Arguments arguments) {
        try {
            return Scope.of(arguments.values("in"));
        } catch (IllegalArgumentException e) {
            throw new UsageException("not a glob: " + String.join(" ", arguments.values("in")));
        }
    }

    /** Shows the search as a tool call and returns the changes. */
    List<FileChange> find(String title, Facts input, Edit edit) throws InterruptedException, IOException {
        Step step = work.step(title, ToolKind.SEARCH, input.json());
        step.start();
        try {
            List<FileChange> changes = changes(edit);
            step.output(new Facts()
                    .put("places", places(changes))
                    .put("files", changes.stream().map(c -> c.file().name()).toList())
                    .put("leftOut", leftOut)
                    .json());
            step.show(changes.isEmpty() ? "No place" : sum(changes));
            step.complete();
            return changes;
        } catch (UsageException e) {
            step.fail(String.valueOf(e.getMessage()));
            throw e;
        }
    }

    /** Reports the skipped files with the reasons. */
    void sayLeftOut() throws InterruptedException {
        work.say(Markdown.list("Left out", leftOut));
    }

    /** Reports that nothing was found. */
    void sayNothing(String verb, String what) throws InterruptedException {
        work.say("Nothing" + (leftOut.isEmpty() ? "" : " else") + " to " + verb + ": " + what + ".\n");
    }

    /** "3 places in 2 files". */
    static String sum(List<FileChange> changes) {
        return Markdown.count(places(changes), "place", "places") + " in "
                + Markdown.count(changes.size(), "file", "files");
    }

    private static int places(List<FileChange> changes) {
        return changes.stream().mapToInt(FileChange::places).sum();
    }

    private List<FileChange> changes(Edit edit) throws InterruptedException, IOException {
        List<FileChange> changes = new ArrayList<>();
        long characters = 0;
        leftOut.clear();
        FileListing listing = work.workspace().files().list();
        for (WorkspaceFile file : listing.tooLarge()) {
            if (scope.includes(file)) {
                leftOut.add(file.whyUnreadable());
            }
        }
        for (WorkspaceFile file : listing.searchable()) {
            work.turn().checkCancelled();
            if (scope.includes(file)) {
                int before = changes.size();
                add(file, edit, changes);
                characters += changes.size() == before ? 0 : changes.getLast().length();
            }
            if (characters > MAX_CHARACTERS) {
                throw new UsageException("that is too much to change at once; name fewer files with --in");
            }
        }
        return changes;
    }

    /** A file that cannot be changed, or is too large for a pattern, does not prevent changes of the others. */
    private void add(WorkspaceFile file, Edit edit, List<FileChange> changes) throws InterruptedException {
        try {
            FileChange change = change(file, edit);
            if (change != null) {
                access.check(change);
                changes.add(change);
            }
        } catch (GuardedText.StoppedException e) {
            leftOut.add(file.name() + ": " + e.getMessage());
        } catch (IOException e) {
            leftOut.add(String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    private @Nullable FileChange change(WorkspaceFile file, Edit edit) throws InterruptedException, IOException {
        // The disk first: reading every file of the workspace through the editor would take too long.
        String saved = TextFile.textOf(file);
        if (saved == null || isUntouched(edit.in(file, saved))) {
            return null;
        }
        String text = access.read(file);
        Replacement.Replaced replaced = text == null ? null : edit.in(file, text);
        return text == null || replaced == null || replaced.count() == 0
                ? null
                : new FileChange(file, text, replaced.text(), replaced.count());
    }

    private static boolean isUntouched(Replacement.@Nullable Replaced replaced) {
        return replaced == null || replaced.count() == 0;
    }
}
