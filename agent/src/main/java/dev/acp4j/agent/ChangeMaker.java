package dev.acp4j.agent;

import dev.acp4j.schema.ToolKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Makes changes: shows them, asks, writes. In read-only mode it only shows them. */
final class ChangeMaker {
    private static final int MAX_DIFF_LINES = 120;

    private final Work work;
    private final FileAccess access;

    ChangeMaker(Work work) {
        this.work = work;
        this.access = new FileAccess(work.turn().files());
    }

    /**
     * Shows {@code changes} as one tool call, asks once for all, and makes them.
     *
     * @return the changes that were made
     */
    List<FileChange> make(String title, Facts input, List<FileChange> changes)
            throws InterruptedException, IOException {
        Step step = work.step(title, ToolKind.EDIT, input.json());
        step.diffs(changes);
        if (work.isReadOnly()) {
            step.fail("Not done: the session is read-only.");
            return List.of();
        }
        if (!work.mayDo(Work.Action.WRITE, step)) {
            step.fail("Not done: it was not allowed.");
            return List.of();
        }
        step.start();
        List<FileChange> made = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (FileChange change : changes) {
            work.turn().checkCancelled();
            write(change, made, problems);
        }
        step.output(new Facts()
                .put("changed", made.stream().map(c -> c.file().name()).toList())
                .put("problems", problems)
                .json());
        if (problems.isEmpty()) {
            step.complete();
        } else {
            String text = String.join("\n", problems);
            step.fail(text);
            work.say("Not changed:\n\n- " + String.join("\n- ", problems) + "\n\n");
        }
        return made;
    }

    private void write(FileChange change, List<FileChange> made, List<String> problems) throws InterruptedException {
        String name = change.file().name();
        try {
            switch (access.write(change)) {
                case DONE -> made.add(change);
                case CHANGED_MEANWHILE -> problems.add(name + " was changed by somebody else meanwhile");
                case NOT_ENCODABLE -> problems.add(name + " has an encoding that lacks a character of the new text");
            }
        } catch (IOException e) {
            problems.add(name + ": " + e.getMessage());
        }
    }

    /** Says what would change, as a diff. */
    void preview(List<FileChange> changes) throws InterruptedException {
        StringBuilder diff = new StringBuilder();
        int lines = 0;
        int left = 0;
        for (FileChange change : changes) {
            List<String> unified = change.unifiedDiff();
            if (lines + unified.size() > MAX_DIFF_LINES) {
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
