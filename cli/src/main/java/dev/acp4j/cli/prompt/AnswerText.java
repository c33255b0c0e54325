package dev.acp4j.cli.prompt;

import dev.acp4j.SessionEvent;
import dev.acp4j.cli.session.ContentText;
import dev.acp4j.cli.terminal.StandardStream;
import dev.acp4j.cli.terminal.TerminalText;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The agent's answer as it comes, for a file or another program: its Markdown stays Markdown.
 *
 * <p>The lock guards what was written last.
 */
final class AnswerText {
    private final StandardStream out;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable MessageId current;
    private boolean isNew;
    /** The last character of the text so far; -1 before there is any. */
    private int last = -1;
    /** The sign of a line's end may come in two pieces. */
    private boolean heldReturn;

    AnswerText(StandardStream out) {
        this.out = out;
    }

    void add(SessionEvent.Message piece) {
        lock.lock();
        try {
            String text = text(piece.content());
            if (text.isEmpty()) {
                return;
            }
            if (last >= 0 && (isNew || !Objects.equals(current, piece.messageId()))) {
                print(last == '\n' ? "\n" : "\n\n");
            }
            current = piece.messageId();
            isNew = false;
            print(text);
        } finally {
            lock.unlock();
        }
    }

    private void print(String text) {
        out.print(TerminalText.piece(text, Math.max(0, last)));
        last = text.codePointBefore(text.length());
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
            if (last >= 0 && last != '\n') {
                print("\n");
            }
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
        return heldReturn ? text.substring(0, text.length() - 1) : text;
    }
}
