package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The table by which a turn moves on. */
class SessionStateTest {
    @ParameterizedTest
    @CsvSource({
        // phase, input, cancelled before, phase after, effect
        "WAITING, TURN_CAME, false, SENT,    SEND_PROMPT",
        "WAITING, CANCEL,    true,  ENDED,   END_TURN",
        "WAITING, END,       false, ENDED,   END_TURN",
        "SENT,    ACCEPTED,  false, RUNNING, NOTHING",
        "SENT,    ACCEPTED,  true,  RUNNING, CANCEL_TURN",
        "SENT,    CANCEL,    true,  SENT,    CANCEL_PROMPT",
        "SENT,    END,       false, ENDED,   END_TURN",
        "RUNNING, ACCEPTED,  false, RUNNING, NOTHING",
        "RUNNING, CANCEL,    true,  RUNNING, CANCEL_TURN",
        "RUNNING, END,       true,  ENDED,   END_TURN",
    })
    void everyInputMovesATurnOn(
            SessionState.Phase phase,
            SessionState.Input input,
            boolean cancelled,
            SessionState.Phase after,
            SessionState.Effect effect) {
        assertThat(SessionState.next(phase, input, cancelled)).isEqualTo(new SessionState.Change(after, effect));
    }

    @ParameterizedTest
    @EnumSource
    void nothingMovesATurnThatHasEnded(SessionState.Input input) {
        assertThat(SessionState.next(SessionState.Phase.ENDED, input, false))
                .isEqualTo(new SessionState.Change(SessionState.Phase.ENDED, SessionState.Effect.NOTHING));
    }

    @Test
    void aTurnEndsOnce() {
        for (SessionState.Phase phase : SessionState.Phase.values()) {
            SessionState.Change ended = SessionState.next(phase, SessionState.Input.END, false);
            assertThat(SessionState.next(ended.phase(), SessionState.Input.END, false)
                            .effect())
                    .isEqualTo(SessionState.Effect.NOTHING);
        }
    }
}
