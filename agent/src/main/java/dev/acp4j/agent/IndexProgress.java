package dev.acp4j.agent;

import dev.acp4j.schema.ToolKind;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Shows the progress of indexing as a tool call, if it takes noticeably long. */
final class IndexProgress implements WorkspaceIndex.Progress {
    private static final long SHOWN_AFTER = Duration.ofMillis(400).toNanos();
    private static final long SHOWN_EVERY = Duration.ofMillis(300).toNanos();

    private final Work work;
    private final LongSupplier clock;
    private final long begun;
    private long shown;
    private @Nullable Step step;

    IndexProgress(Work work) {
        this(work, System::nanoTime);
    }

    /** {@code clock} returns nanoseconds since an arbitrary moment. */
    IndexProgress(Work work, LongSupplier clock) {
        this.work = work;
        this.clock = clock;
        this.begun = clock.getAsLong();
    }

    @Override
    public void read(int done, int total) throws InterruptedException {
        long now = clock.getAsLong();
        Step current = step;
        if (current == null) {
            if (now - begun < SHOWN_AFTER || done == total) {
                return;
            }
            String title = title(done, total);
            current = work.step(
                    title, ToolKind.READ, new Facts().put("files", total).json());
            current.start();
            step = current;
            shown = now;
        } else if (done == total) {
            current.title("Read " + Markdown.count(total, "file", "files"));
            current.output(new Facts().put("files", total).json());
            current.complete();
        } else if (now - shown >= SHOWN_EVERY) {
            current.title(title(done, total));
            shown = now;
        }
    }

    private static String title(int done, int total) {
        return "Reading the workspace: " + Markdown.grouped(done) + " of " + Markdown.grouped(total) + " files";
    }
}
