package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.testkit.FakeTime;
import java.security.SecureRandom;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class MemoryLogTest extends StreamLogContract {
    private final FakeTime time = new FakeTime();

    @Override
    StreamLog create() {
        return new MemoryLog(new MemoryLog.Retention(Long.MAX_VALUE, 10, Duration.ofDays(1)), time, new SecureRandom());
    }

    @Test
    @Tag("DUR-19")
    void whatWasSentIsDroppedWhenItIsOld() {
        StreamLog log = create();
        log.append(new StreamLog.Frame(1, RawJson.NULL));
        time.advance(Duration.ofDays(3));
        log.sent(1);
        time.advance(Duration.ofDays(1));
        log.trim();
        assertThat(log.read(0, 1)).hasSize(1);
        time.advance(Duration.ofNanos(1));
        log.trim();

        assertThat(log.read(0, 1)).isEmpty();
        assertThat(log.keptBytes()).isZero();
    }
}
