package dev.acp4j.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jline.utils.NonBlocking;
import org.jline.utils.NonBlockingPumpReader;
import org.jline.utils.NonBlockingReader;
import org.junit.jupiter.api.Test;

class KeyWatchTest {
    private final CountDownLatch interrupted = new CountDownLatch(1);

    @Test
    void linesAreKeptAndTheBegunOneToo() throws Exception {
        KeyWatch watch = typed("one\rtwo\nthr\u001b[Dee");

        assertThat(watch.nextLine()).isEqualTo("one");
        assertThat(watch.nextLine()).isEqualTo("two");
        assertThat(watch.nextLine()).isNull();
        assertThat(watch.begunLine()).isEqualTo("three");
        assertThat(watch.hasEnded()).isFalse();
    }

    @Test
    void linesForTheTurnAreNotKeptAndTextIsPutBack() throws Exception {
        KeyWatch watch = typed("one\r:two\rthree\rfo");

        watch.putBack("ur five");

        assertThat(watch.lines()).containsExactly("one", "three", "fo ur five");
    }

    @Test
    void deletingStopsAtTheBeginningOfALine() throws Exception {
        KeyWatch watch = typed("one\rtw\u007f\u007f\u007f\u007fx\u0015yes");

        assertThat(watch.nextLine()).isEqualTo("one");
        assertThat(watch.begunLine()).isEqualTo("yes");
    }

    @Test
    void ctrlDEndsAfterTheLines() throws Exception {
        KeyWatch watch = typed("one\r\u0004");

        assertThat(watch.nextLine()).isEqualTo("one");
        assertThat(watch.hasEnded()).isTrue();
    }

    @Test
    void ctrlCIsToldAndGivesBackWhatWasTyped() throws Exception {
        KeyWatch watch = typed("one\rtwo\u0003");

        assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(watch.nextLine()).isNull();
        assertThat(watch.begunLine()).isEqualTo("one two");
    }

    @Test
    void afterAPauseKeysAreForSomebodyElse() throws Exception {
        NonBlockingPumpReader keys = NonBlocking.nonBlockingPumpReader();
        KeyWatch watch = new KeyWatch(keys);
        watch.begin(interrupted::countDown, line -> line.startsWith(":"));
        watch.pause();

        keys.getWriter().write("x");
        keys.getWriter().flush();

        assertThat(keys.read()).isEqualTo('x');
        assertThat(watch.begunLine()).isEmpty();
    }

    /** Returns a watch that has read these keys. */
    private KeyWatch typed(String text) throws InterruptedException {
        Keys keys = new Keys(text);
        KeyWatch watch = new KeyWatch(keys);
        watch.begin(interrupted::countDown, line -> line.startsWith(":"));
        assertThat(keys.end.await(60, TimeUnit.SECONDS)).isTrue();
        watch.pause();
        return watch;
    }

    /** Keys that were all pressed before. */
    private static final class Keys extends NonBlockingReader {
        private final String text;
        private final CountDownLatch end = new CountDownLatch(1);
        private int at;

        Keys(String text) {
            this.text = text;
        }

        @Override
        protected int read(long timeout, boolean isPeek) {
            if (at == text.length()) {
                end.countDown();
                return -1;
            }
            return text.charAt(isPeek ? at : at++);
        }

        @Override
        public int readBuffered(char[] buffer, int from, int length, long timeout) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }
}
