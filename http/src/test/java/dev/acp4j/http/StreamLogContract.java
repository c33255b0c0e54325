package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What every log of a stream does; those that one process keeps for itself, and no fencing. */
@Tag("DUR-34")
abstract class StreamLogContract {
    private StreamLog log;

    /** Creates a log that keeps 10 frames that were sent, however large and old. */
    abstract StreamLog create() throws Exception;

    @BeforeEach
    void open() throws Exception {
        log = create();
    }

    private void append(long... numbers) {
        for (long number : numbers) {
            log.append(new StreamLog.Frame(number, RawJson.string("frame " + number)));
        }
    }

    private List<Long> read(long after, long atMost) {
        return log.read(after, atMost).stream().map(StreamLog.Frame::number).toList();
    }

    private void dropAll() {
        while (log.oldest() != null) {
            log.dropOldest();
        }
        log.dropOldest();
    }

    @Test
    void framesAreReadInTheirOrderFromAnyOnOne() {
        append(3, 5, 9, 12);

        assertThat(read(0, Long.MAX_VALUE)).containsExactly(3L, 5L, 9L, 12L);
        assertThat(read(5, Long.MAX_VALUE)).containsExactly(9L, 12L);
        assertThat(read(6, Long.MAX_VALUE)).containsExactly(9L, 12L);
        assertThat(read(12, Long.MAX_VALUE)).isEmpty();
        assertThat(read(0, 1)).containsExactly(3L);
        assertThat(log.read(3, 1).get(0).json()).hasToString("\"frame 5\"");
        assertThat(log.last()).isEqualTo(12);
        assertThatThrownBy(() -> append(12)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aPlaceIsKnownIfItsFrameIsKeptOrNothingBehindItIsMissing() {
        append(3, 5, 9);
        log.sent(5);

        assertThat(log.find(3)).isEqualTo(StreamLog.Place.KNOWN);
        assertThat(log.find(9)).isEqualTo(StreamLog.Place.KNOWN);
        assertThat(log.find(4)).isEqualTo(StreamLog.Place.UNKNOWN);
        assertThat(log.find(10)).isEqualTo(StreamLog.Place.UNKNOWN);
        dropAll();
        assertThat(log.find(3)).isEqualTo(StreamLog.Place.EXPIRED);
        assertThat(log.find(5)).isEqualTo(StreamLog.Place.KNOWN);
        assertThat(read(5, 1)).containsExactly(9L);
    }

    @Test
    @Tag("DUR-19")
    void whatWasNotSentIsNeverDropped() {
        for (int i = 1; i <= 100; i++) {
            append(i);
        }
        log.trim();
        dropAll();
        assertThat(read(0, Long.MAX_VALUE)).hasSize(100);
        log.sent(60);

        assertThat(log.lastSent()).isEqualTo(60);
        assertThat(read(0, Long.MAX_VALUE)).hasSize(50).startsWith(51L);
        assertThat(log.find(49)).isEqualTo(StreamLog.Place.EXPIRED);
        dropAll();
        assertThat(read(0, Long.MAX_VALUE)).hasSize(40).startsWith(61L);
        assertThat(log.keptBytes()).isZero();
        assertThat(log.unsentBytes()).isEqualTo(39 * 10 + 11 + 40 * MemoryLog.BYTES_BESIDE);
    }

    @Test
    void bytesAreCountedOnce() {
        append(1, 2);
        long bytes = 9 + MemoryLog.BYTES_BESIDE;
        assertThat(log.unsentBytes()).isEqualTo(2 * bytes);
        log.sent(1);
        log.sent(1);
        assertThat(log.unsentBytes()).isEqualTo(bytes);
        assertThat(log.keptBytes()).isEqualTo(bytes);
        log.sent(2);
        assertThat(log.unsentBytes()).isZero();
    }

    @Test
    @Tag("DUR-32")
    void anotherLogAndANewBeginningHaveAnotherEpoch() throws Exception {
        String before = log.epoch();
        append(1, 2);
        log.sent(1);
        log.restart();

        assertThat(log.epoch()).isNotEqualTo(before).isNotEqualTo(create().epoch());
        assertThat(read(0, Long.MAX_VALUE)).isEmpty();
        assertThat(log.unsentBytes() + log.keptBytes()).isZero();
        append(2);
        assertThat(read(log.lastSent(), Long.MAX_VALUE)).containsExactly(2L);
    }
}
