package dev.acp4j.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.http.Principal;
import dev.acp4j.http.UnavailableException;
import dev.acp4j.testkit.FakeTime;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("HST-07")
class PlacesTest {
    private static final Principal ALICE = Principal.of("alice");

    private final FakeTime time = new FakeTime();
    private final Places places = new Places(GatewayLimits.STANDARD, time);

    /** Starts an agent that dies at once. Returns how long to wait when it is not started. */
    private Duration die() {
        try {
            places.take(ALICE);
            places.free(ALICE);
            places.died(ALICE);
            return Duration.ZERO;
        } catch (UnavailableException e) {
            assertThat(e.reason()).isEqualTo("agent_keeps_dying");
            return e.retryAfter();
        }
    }

    @Test
    void theOftenerAnAgentDiesTheLongerIsThePauseAndAfterFiveTimesItIsAMinute() {
        assertThat(die()).isZero();
        assertThat(die()).isZero();
        for (int seconds : new int[] {1, 2, 4}) {
            assertThat(die()).isEqualTo(Duration.ofSeconds(seconds));
            time.advance(Duration.ofSeconds(seconds));
            assertThat(die()).isZero();
        }
        assertThat(die()).isEqualTo(Duration.ofSeconds(53));
        places.take(Principal.of("bob"));
        time.advance(Duration.ofSeconds(53));
        assertThat(die()).isEqualTo(Duration.ZERO);
    }

    @Test
    void whatDiedAMinuteAgoIsForgotten() {
        assertThat(die()).isZero();
        assertThat(die()).isZero();
        time.advance(Duration.ofSeconds(60));

        assertThat(die()).isZero();
        assertThat(die()).isZero();
        assertThat(die()).isEqualTo(Duration.ofSeconds(1));
    }
}
