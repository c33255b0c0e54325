package dev.acp4j.agent;

import dev.acp4j.schema.ToolKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Makes changes: shows them, asks, writes, and records the results. In read-only mode it only shows them. */
final class ChangeMaker {
    private static final int MAX_DIFF_LINES = 120;

    private final Work work;
    private final FileAccess access;
    private final List<FileChange> made = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();

    ChangeMaker(Work work) {
        this.work = work;
        this.access = new FileAccess(work.turn().files());
    }

    /** Returns the changes that were made so far. */
    List<FileChange> made() {
        return made;
    }

    /**
     * Shows {@code changes} as one tool call, asks once for all, and makes them.
     *
     * @return how many were made
     */
    int make(String title, Facts input, List<FileChange> changes) throws InterruptedException {
        Step step = work.step(title, ToolKind.EDIT, input.json());
        step.diffs(changes);
        if (work.isReadOnly()) {
            step.fail("Not done: the session is read-only.");
            return 0;
        }
        if (!work.mayDo(Work.Action.WRITE, step)) {
            step.fail("Not done: it was not allowed.");
            return 0;
        }
        step.start();
        List<FileChange> done = new ArrayList<>();
        List<String> failed = new ArrayList<>();
        try {
            for (FileChange change : changes) {
                work.turn().checkCancelled();
                write(change, done, failed);
            }
        } catch (InterruptedException e) {
            show(step, done, failed);
            throw e;
        } finally {
            made.addAll(done);
            problems.addAll(failed);
        }
        end(step, title, done, failed);
        return done.size();
    }

    private void write(FileChange change, List<FileChange> done, List<String> failed) throws InterruptedException {
        try {
            if (access.write(change)) {
                done.add(change);
            } else {
                failed.add(change.file().name() + " was changed by another program meanwhile");
            }
        } catch (IOException e) {
            failed.add(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            failed.add(change.file().name() + ": cancelled meanwhile; it may have been changed");
            throw e;
        }
    }

    private static void show(Step step, List<FileChange> done, List<String> failed) throws InterruptedException {
        step.diffs(done);
        if (!failed.isEmpty()) {
            step.note("Failed:\n" + String.join("\n", failed));
        }
    }

    /** Replaces the proposed changes in the tool call by the changes made. */
    private static void end(Step step, String title, List<FileChange> done, List<String> failed)
            throws InterruptedException {
        step.output(new Facts()
                .put("changed", done.stream().map(c -> c.file().name()).toList())
                .put("problems", failed)
                .json());
        if (failed.isEmpty()) {
            step.complete();
            return;
        }
        show(step, done, failed);
        if (done.isEmpty()) {
            step.fail();
        } else {
            step.title(title + " (" + failed.size() + " failed)");
            step.complete();
        }
    }

    /** Reports failures; or that nothing was changed, if there were neither failures nor changes. */
    void sayRest() throws InterruptedException {
        if (made.isEmpty() && problems.isEmpty()) {
            work.say("Nothing was changed.\n");
        }
        work.say(Markdown.list("Failed", problems));
    }

    /** Shows the proposed changes as a diff. */
    void preview(List<FileChange> changes) throws InterruptedException {
        StringBuilder diff = new StringBuilder();
        int lines = 0;
        int left = 0;
        for (FileChange change : changes) {
            List<String> unified = change.unifiedDiff(MAX_DIFF_LINES - lines);
            if (unified == null) {
                left++;
                continue;
            }
            lines += unified.size();
            unified.forEach(line -> diff.append(line).append('\n'));
        }
        work.say("This would change:\n\n" + Markdown.block("diff", diff.toString()));
        if (left > 0) {
            work.say("… and " + Markdown.count(left, "more file", "more files") + ".\n");
        }
    }
}
