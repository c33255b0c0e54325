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

    // See Limits.viewBytes().

    private static final long BYTES_OF_CHAR = 2;

    static final long BYTES_OF_BYTE = 3;

    private final ReentrantLock lock;
    private final List<Mark> marks = new ArrayList<>(0);
    private List<ContentBlock> blocks = new ArrayList<>(1);
    private GrowingText text = new GrowingText();

    /** By estimate, the memory that all this takes. */
    private long bytes;

    /** Whether the beginning was dropped. */
    private boolean cut;

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

    /** @param read how many bytes were read for the block */
    void append(ContentBlock block, int read) {
        if (block instanceof ContentBlock.Text part && part.annotations() == null) {
            text.append(part.text());
            bytes += BYTES_OF_CHAR * part.text().length();
            return;
        }
        if (!text.isEmpty()) {
            blocks.add(ContentBlock.text(text.toString()));
            text = new GrowingText();
        }
        blocks.add(block);
        bytes += BYTES_OF_BYTE * read;
    }

    /**
     * Puts other content in the place of this. Snapshots keep what they have.
     *
     * @param read how many bytes were read for all of it
     */
    void replace(List<ContentBlock> others, int read) {
        marks.clear();
        text = new GrowingText();
        blocks = new ArrayList<>(others.size());
        bytes = 0;
        cut = false;
        for (ContentBlock other : others) {
            append(other, read / others.size());
        }
    }

    /** Drops the first half. Snapshots keep what they have. Returns false when there is nothing left to drop. */
    boolean dropFirstHalf() {
        if (blocks.isEmpty() && text.length() < 2) {
            return false;
        }
        marks.clear();
        cut = true;
        if (blocks.isEmpty()) {
            text = text.secondHalf();
            bytes = BYTES_OF_CHAR * text.length();
        } else {
            int half = (blocks.size() + 1) / 2;
            blocks = new ArrayList<>(blocks.subList(half, blocks.size()));
            bytes /= 2;
        }
        return true;
    }

    /** Returns, by estimate, the memory that this takes. */
    long bytes() {
        return bytes;
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
        return new Content(lock, blocks, text, cut);
    }

    /** Content at one moment. It shares what grows behind its end. */
    static final class Content {
        private final ReentrantLock lock;
        private final List<ContentBlock> blocks;
        private final int count;
        private final GrowingText text;
        private final int length;
        private final boolean cut;
        private volatile @Nullable List<ContentBlock> copy;

        Content(ReentrantLock lock, List<ContentBlock> blocks, GrowingText text, boolean cut) {
            this.lock = lock;
            this.blocks = blocks;
            this.count = blocks.size();
            this.text = text;
            this.length = text.length();
            this.cut = cut;
        }

        boolean isCut() {
            return cut;
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

        /** Returns the last characters of content that is one text. */
        String end(int most) {
            lock.lock();
            try {
                int from = Math.max(0, length - most);
                String end = text.after(from).substring(0, length - from);
                return from > 0 && !end.isEmpty() && Character.isLowSurrogate(end.charAt(0)) ? end.substring(1) : end;
            } finally {
                lock.unlock();
            }
        }
    }

    /** Returns how many bytes the images and recordings have in Base64. */
    static int dataOf(List<ContentBlock> content) {
        long bytes = 0;
        for (ContentBlock block : content) {
            bytes += switch (block) {
                case ContentBlock.Image image -> image.data().length();
                case ContentBlock.Audio audio -> audio.data().length();
                default -> 0;
            };
        }
        return (int) Math.min(Integer.MAX_VALUE, bytes);
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
