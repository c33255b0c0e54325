package dev.acp4j;

import dev.acp4j.schema.ContentBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What a message or a summary says, as long as it grows. Neighbouring pieces of text are joined. All is guarded by the
 * lock of the timeline.
 */
final class GrowingContent {
    /** How long the content was at a revision that somebody has seen. */
    private record Mark(long revision, int blocks, int length) {}

    /** At most so many are kept; a reader with an older revision gets the whole content. */
    private static final int MOST_MARKS = 256;

    private final ReentrantLock lock;
    private final List<Mark> marks = new ArrayList<>(0);
    private List<ContentBlock> blocks = new ArrayList<>(1);
    private GrowingText text = new GrowingText();

    GrowingContent(ReentrantLock lock) {
        this.lock = lock;
    }

    /**
     * Remembers how long the content is, before it changes.
     *
     * @param revision the one at which it became so long
     */
    void mark(long revision) {
        if (marks.size() == MOST_MARKS) {
            marks.subList(0, MOST_MARKS / 2).clear();
        }
        marks.add(new Mark(revision, blocks.size(), text.length()));
    }

    void append(ContentBlock block) {
        if (block instanceof ContentBlock.Text part && part.annotations() == null) {
            text.append(part.text());
            return;
        }
        if (!text.isEmpty()) {
            blocks.add(ContentBlock.text(text.toString()));
            text = new GrowingText();
        }
        blocks.add(block);
    }

    /** Puts other content in the place of this. Snapshots keep what they have. */
    void replace(List<ContentBlock> others) {
        marks.clear();
        text = new GrowingText();
        blocks = new ArrayList<>(others.size());
        for (ContentBlock other : others) {
            append(other);
        }
    }

    /**
     * Returns what was appended since a revision; null when other content took its place meanwhile, or the revision is
     * older than what is remembered.
     */
    @Nullable
    List<ContentBlock> since(long revision) {
        for (int i = marks.size() - 1; i >= 0; i--) {
            Mark mark = marks.get(i);
            if (mark.revision() <= revision) {
                return since(mark);
            }
        }
        return null;
    }

    private List<ContentBlock> since(Mark mark) {
        List<ContentBlock> more = new ArrayList<>();
        boolean isSameText = mark.blocks() == blocks.size();
        if (!isSameText && mark.length() > 0) {
            // The text that was growing then has become a block.
            String whole = ((ContentBlock.Text) blocks.get(mark.blocks())).text();
            add(whole.substring(mark.length()), more);
        }
        int next = mark.blocks() + (mark.length() > 0 ? 1 : 0);
        more.addAll(blocks.subList(Math.min(next, blocks.size()), blocks.size()));
        add(isSameText ? text.after(mark.length()) : text.toString(), more);
        return more;
    }

    private static void add(String text, List<ContentBlock> blocks) {
        if (!text.isEmpty()) {
            blocks.add(ContentBlock.text(text));
        }
    }

    /** Returns the content as it is now. Takes no longer for long content: it is copied when it is first looked at. */
    Content snapshot() {
        return new Content(lock, blocks, text);
    }

    /** Content at one moment. It shares what grows behind its end. */
    static final class Content {
        private final ReentrantLock lock;
        private final List<ContentBlock> blocks;
        private final int count;
        private final GrowingText text;
        private final int length;
        private volatile @Nullable List<ContentBlock> copy;

        Content(ReentrantLock lock, List<ContentBlock> blocks, GrowingText text) {
            this.lock = lock;
            this.blocks = blocks;
            this.count = blocks.size();
            this.text = text;
            this.length = text.length();
        }

        List<ContentBlock> blocks() {
            List<ContentBlock> all = copy;
            if (all == null) {
                all = copied();
                copy = all;
            }
            return all;
        }

        private List<ContentBlock> copied() {
            lock.lock();
            try {
                List<ContentBlock> all = new ArrayList<>(blocks.subList(0, count));
                if (length > 0) {
                    all.add(ContentBlock.text(text.first(length)));
                }
                return List.copyOf(all);
            } finally {
                lock.unlock();
            }
        }

        /** Returns the text of all pieces of text. */
        String text() {
            return textOf(blocks());
        }
    }

    /** Returns the text of all pieces of text. */
    static String textOf(List<ContentBlock> content) {
        StringBuilder all = new StringBuilder();
        for (ContentBlock block : content) {
            if (block instanceof ContentBlock.Text part) {
                all.append(part.text());
            }
        }
        return all.toString();
    }
}
