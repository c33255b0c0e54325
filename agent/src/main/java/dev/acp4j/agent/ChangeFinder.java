package dev.acp4j.agent;

import dev.acp4j.schema.ToolKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Works out what a replacement would change, file by file, without changing anything. */
final class ChangeFinder {
    /** Changes one text; null when there is nothing to change in a file like this. */
    interface Edit {
        Replacement.@Nullable Replaced in(WorkspaceFile file, String text) throws InterruptedException;
    }

    private final Work work;
    private final Scope scope;
    private final FileAccess access;

    ChangeFinder(Work work, Scope scope) {
        this.work = work;
        this.scope = scope;
        this.access = new FileAccess(work.turn().files());
    }

    /** Returns the scope that the {@code --in} options name. */
    static Scope scope(Arguments arguments) {
        try {
            return Scope.of(arguments.values("in"));
        } catch (IllegalArgumentException e) {
            throw new UsageException("not a glob: " + String.join(" ", arguments.values("in")));
        }
    }

    /** Shows the search as a tool call and returns what would change. */
    List<FileChange> find(String title, Facts input, Edit edit) throws InterruptedException, IOException {
        Step step = work.step(title, ToolKind.SEARCH, input.json());
        step.start();
        try {
            List<FileChange> changes = changes(edit);
            int places = places(changes);
            step.output(new Facts()
                    .put("places", places)
                    .put("files", changes.stream().map(c -> c.file().name()).toList())
                    .json());
            step.show(Markdown.count(places, "place", "places") + " in "
                    + Markdown.count(changes.size(), "file", "files"));
            step.complete();
            return changes;
        } catch (UsageException e) {
            step.fail(String.valueOf(e.getMessage()));
            throw e;
        }
    }

    static int places(List<FileChange> changes) {
        return changes.stream().mapToInt(FileChange::places).sum();
    }

    private List<FileChange> changes(Edit edit) throws InterruptedException, IOException {
        List<FileChange> changes = new ArrayList<>();
        for (WorkspaceFile file : work.workspace().files().list().searchable()) {
            work.turn().checkCancelled();
            if (scope.includes(file)) {
                FileChange change = change(file, edit);
                if (change != null) {
                    changes.add(change);
                }
            }
        }
        return changes;
    }

    private @Nullable FileChange change(WorkspaceFile file, Edit edit) throws InterruptedException {
        // The disk first: asking the editor for every file of the workspace would take too long.
        String saved = TextFile.textOf(file);
        if (saved == null || isUntouched(apply(edit, file, saved))) {
            return null;
        }
        String text = access.readForDisplay(file);
        if (text == null) {
            return null;
        }
        Replacement.Replaced replaced = apply(edit, file, text);
        return replaced == null || replaced.count() == 0
                ? null
                : new FileChange(file, text, replaced.text(), replaced.count());
    }

    private static boolean isUntouched(Replacement.@Nullable Replaced replaced) {
        return replaced == null || replaced.count() == 0;
    }

    private static Replacement.@Nullable Replaced apply(Edit edit, WorkspaceFile file, String text)
            throws InterruptedException {
        try {
            return edit.in(file, text);
        } catch (IllegalArgumentException e) {
            throw new UsageException(file.name() + ": " + e.getMessage());
        }
    }
}
