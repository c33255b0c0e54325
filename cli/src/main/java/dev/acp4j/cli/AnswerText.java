package dev.acp4j.cli;

import dev.acp4j.SessionEvent;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import java.io.PrintStream;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The agent's answer as it comes, for a file or another program: its Markdown stays Markdown.
 *
 * <p>The lock guards what was written last.
 */
final class AnswerText {
    private final PrintStream out;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable MessageId current;
    private boolean isNew;
    private boolean hasText;
    private boolean endsLine = true;
    /** The sign of a line's end may come in two pieces. */
    private boolean heldReturn;

    AnswerText(PrintStream out) {
        this.out = out;
    }

    void add(SessionEvent.Message piece) {
        lock.lock();
        try {
            String text = text(piece.content());
            if (text.isEmpty()) {
                return;
            }
            if (hasText && (isNew || !Objects.equals(current, piece.messageId()))) {
                out.print(endsLine ? "\n" : "\n\n");
            }
            current = piece.messageId();
            isNew = false;
            hasText = true;
            endsLine = text.endsWith("\n");
            out.print(text);
            out.flush();
        } finally {
            lock.unlock();
        }
    }

    /** Something else happened: the next piece begins a new paragraph. */
    void interrupted() {
        lock.lock();
        try {
            isNew = true;
        } finally {
            lock.unlock();
        }
    }

    void finish() {
        lock.lock();
        try {
            if (!endsLine) {
                out.println();
                endsLine = true;
            }
            out.flush();
        } finally {
            lock.unlock();
        }
    }

    private String text(ContentBlock content) {
        if (!(content instanceof ContentBlock.Text block)) {
            return ContentText.text(content) + "\n";
        }
        String text = heldReturn ? "\r" + block.text() : block.text();
        heldReturn = text.endsWith("\r");
        return Visible.verbatim(heldReturn ? text.substring(0, text.length() - 1) : text);
    }
}
