package dev.acp4j.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationsTest {
    @ParameterizedTest
    @CsvSource({"90,PT90S", "90s,PT90S", "500ms,PT0.5S", "5m,PT5M", "1h,PT1H", "2M,PT2M"})
    void readsTimesAsPeopleWriteThem(String text, Duration expected) {
        assertThat(new Durations().convert(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "s", "-5", "5 days", "1.5m", "99999999999999999999", "9223372036854775807h"})
    void refusesWhatIsNoTime(String text) {
        assertThatThrownBy(() -> new Durations().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("90s, 5m or 1h");
    }

    @Test
    void writesTimesForPeople() {
        assertThat(Durations.text(Duration.ofSeconds(90))).isEqualTo("90 s");
        assertThat(Durations.text(Duration.ofMinutes(5))).isEqualTo("5 minutes");
        assertThat(Durations.text(Duration.ofMillis(1500))).isEqualTo("1500 ms");
    }
}
