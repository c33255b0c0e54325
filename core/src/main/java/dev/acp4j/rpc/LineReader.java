package dev.acp4j.rpc;

import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Splits a stream of bytes into lines. Bytes are read in blocks and every byte is looked at once, however many reads a
 * line spans. A line is copied out of its blocks, so that a message that is kept holds no more than itself.
 */
final class LineReader implements MessageReader {
    static final int BLOCK_BYTES = 64 * 1024;

    /** The blocks of a line that does not fit the first. The launcher has arrays so large made where they stay. */
    private static final int LARGE_BLOCK_BYTES = 256 * 1024;

    private static final int HEAD_BYTES = 1024;
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final InputStream in;
    private final int limit;
    private final BlockingCall call;
    private final MessageParser parser = new MessageParser();

    private byte[] block = new byte[BLOCK_BYTES];
    /** Where the current line begins in the block, or 0 when it began in {@link #full}. */
    private int start;
    /** The bytes of the current line before this index are known to hold no line feed. */
    private int scanned;

    private int end;
    /** Whole blocks of the current line that came before the present block. */
    private final List<byte[]> full = new ArrayList<>();

    private long fullBytes;

    private boolean atStreamStart = true;
    private boolean skipping;
    private boolean ended;

    LineReader(InputStream in, int limit, BlockingCall call) {
        this.in = in;
        this.limit = limit;
        this.call = call;
    }

    @Override
    public @Nullable Message read() throws IOException, InterruptedException {
        while (true) {
            int lineFeed = findLineFeed();
            if (lineFeed >= 0) {
                Message message = finishLine(lineFeed, lineFeed + 1);
                if (message != null) {
                    return message;
                }
            } else if (ended) {
                return finishLine(end, end);
            } else {
                Message oversized = refuseOversized();
                if (oversized != null) {
                    return oversized;
                }
                ended = !fill();
            }
        }
    }

    @Override
    public boolean isReady() {
        int lineFeed = findLineFeed();
        while (lineFeed >= 0 && isNothing(lineFeed)) {
            skipping = false;
            start = lineFeed + 1;
            scanned = start;
            lineFeed = findLineFeed();
        }
        return lineFeed >= 0;
    }

    /** Whether the line is blank, or the rest of a message that is skipped. */
    private boolean isNothing(int lineFeed) {
        return skipping || (full.isEmpty() && isBlank(block, start, lineFeed));
    }

    private int findLineFeed() {
        int pos = RawJson.lineBreak(block, scanned, end);
        while (pos < end && block[pos] != '\n') {
            pos = RawJson.lineBreak(block, pos + 1, end);
        }
        scanned = pos;
        return pos < end ? pos : -1;
    }

    /**
     * Ends the current line before {@code to}; the next begins at {@code next}. Null when there is nothing to hand out.
     */
    private @Nullable Message finishLine(int to, int next) {
        int from = start;
        start = next;
        scanned = next;
        if (skipping) {
            skipping = false;
            return null;
        }
        if (full.isEmpty() && isBlank(block, from, to)) {
            return null;
        }
        byte[] line = full.isEmpty() ? Arrays.copyOfRange(block, from, to) : join(to);
        int length = lengthWithoutCarriageReturn(line);
        if (length > limit) {
            return oversized(line, length);
        }
        return isBlank(line, 0, length) ? null : parser.parse(RawJson.wrap(line, 0, length));
    }

    private static int lengthWithoutCarriageReturn(byte[] line) {
        int length = line.length;
        return length > 0 && line[length - 1] == '\r' ? length - 1 : length;
    }

    private static boolean isBlank(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            byte b = bytes[i];
            if (b != ' ' && b != '\t' && b != '\r') {
                return false;
            }
        }
        return true;
    }

    private byte[] join(int to) {
        byte[] line = new byte[(int) fullBytes + to];
        int at = 0;
        for (byte[] part : full) {
            System.arraycopy(part, 0, line, at, part.length);
            at += part.length;
        }
        System.arraycopy(block, 0, line, at, to);
        forgetFull();
        return line;
    }

    /** Goes back to a small block, which holds what came behind the end of the line: that is part of one read. */
    private void forgetFull() {
        full.clear();
        fullBytes = 0;
        if (block.length > BLOCK_BYTES) {
            block = Arrays.copyOfRange(block, start, start + BLOCK_BYTES);
            end -= start;
            scanned -= start;
            start = 0;
        }
    }

    /** Gives up a line that is too large as soon as that is known, not when its end comes: it might never come. */
    private @Nullable Message refuseOversized() {
        if (skipping) {
            drop();
            return null;
        }
        long seen = fullBytes + end - start;
        boolean mayEndHere = end > start && block[end - 1] == '\r';
        if (seen <= limit || (seen - 1 == limit && mayEndHere)) {
            return null;
        }
        byte[] beginning = full.isEmpty() ? Arrays.copyOfRange(block, start, end) : full.get(0);
        drop();
        skipping = true;
        return oversized(beginning, beginning.length);
    }

    private void drop() {
        start = end;
        scanned = end;
        forgetFull();
    }

    private Message oversized(byte[] line, int length) {
        return parser.oversized(head(RawJson.wrap(line, 0, length)), limit);
    }

    /** Returns the beginning of a message that is too large, in which its id may be visible. */
    static byte[] head(RawJson message) {
        int length = Math.min(message.length(), HEAD_BYTES);
        return Arrays.copyOfRange(message.bytes(), message.from(), message.from() + length);
    }

    /** Reads more of the current line; false at the end of the stream. */
    private boolean fill() throws IOException, InterruptedException {
        makeRoom();
        boolean more = readSome();
        while (more && atStreamStart && startsLikeByteOrderMark()) {
            more = readSome();
        }
        atStreamStart = false;
        return more;
    }

    private void makeRoom() {
        if (start > 0) {
            System.arraycopy(block, start, block, 0, end - start);
            end -= start;
            scanned -= start;
            start = 0;
        }
        if (end == block.length) {
            full.add(block);
            fullBytes += end;
            block = new byte[LARGE_BLOCK_BYTES];
            scanned = 0;
            end = 0;
        }
    }

    private boolean readSome() throws IOException, InterruptedException {
        call.enter();
        int count;
        try {
            count = in.read(block, end, Math.min(block.length - end, BLOCK_BYTES));
        } catch (IOException e) {
            // Not a catch of its own: that would load three classes before the first message.
            if (e instanceof ClosedByInterruptException) {
                throw (InterruptedException) new InterruptedException("interrupted while reading").initCause(e);
            }
            throw e;
        } finally {
            call.leave();
        }
        if (count > 0) {
            end += count;
        }
        return count >= 0;
    }

    /** Drops a byte order mark; returns whether more bytes are needed to tell. No JSON text begins like one. */
    private boolean startsLikeByteOrderMark() {
        int mark = BYTE_ORDER_MARK.length;
        for (int i = 0; i < Math.min(mark, end); i++) {
            if (block[i] != BYTE_ORDER_MARK[i]) {
                return false;
            }
        }
        if (end < mark) {
            return true;
        }
        start = mark;
        scanned = mark;
        return false;
    }
}
