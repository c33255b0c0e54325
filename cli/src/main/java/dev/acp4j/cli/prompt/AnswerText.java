package dev.acp4j.cli.prompt;

import dev.acp4j.Entry;
import dev.acp4j.cli.session.BinaryContent;
import dev.acp4j.cli.session.ContentText;
import dev.acp4j.cli.terminal.StandardStream;
import dev.acp4j.cli.terminal.TerminalText;
import dev.acp4j.schema.ContentBlock;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The streamed answer of the agent for a file or another program: its Markdown is not rendered.
 *
 * <p>The lock guards the state of the last output.
 */
final class AnswerText {
    private final StandardStream out;
    private final BinaryContent binaries;
    private final ReentrantLock lock = new ReentrantLock();
    /** The message that was written last; null before there is any. */
    private Entry.@Nullable Message current;
    /** The last character of the text so far; -1 before there is any. */
    private int last = -1;
    /** A line end may arrive in two pieces. */
    private boolean heldReturn;

    AnswerText(StandardStream out, BinaryContent binaries) {
        this.out = out;
        this.binaries = binaries;
    }

    /** Writes text appended to a message. */
    void add(Entry.Message message, List<ContentBlock> pieces) {
        lock.lock();
        try {
            for (ContentBlock piece : pieces) {
                add(message, piece);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Writes a changed message as a new one, because written text cannot be changed. */
    void replace(Entry.Message message) {
        lock.lock();
        try {
            current = null;
            add(message, message.content());
        } finally {
            lock.unlock();
        }
    }

    private void add(Entry.Message message, ContentBlock piece) {
        String text = ContentText.isForUser(piece) ? text(piece) : "";
        if (text.isEmpty()) {
            return;
        }
        if (last >= 0 && !continues(message)) {
            print(last == '\n' ? "\n" : "\n\n");
        }
        current = message;
        print(text);
    }

    /**
     * Returns whether a message continues the last output. One without an id does if it follows another one directly:
     * then an entry before both has changed in the middle of a sentence.
     */
    private boolean continues(Entry.Message message) {
        Entry.Message before = current;
        if (before == null) {
            return false;
        }
        return message.number() == before.number()
                || (message.id() == null && before.id() == null && message.number() == before.number() + 1);
    }

    private void print(String text) {
        out.print(TerminalText.piece(text, Math.max(0, last)));
        last = text.codePointBefore(text.length());
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
            return binaries.text(content) + "\n";
        }
        String text = heldReturn ? "\r" + block.text() : block.text();
        heldReturn = text.endsWith("\r");
        return heldReturn ? text.substring(0, text.length() - 1) : text;
    }
}
