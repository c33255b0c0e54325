package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Wrong credentials are looked at so often and no oftener. */
class GuessesTest {
    private static final String OTHER = "another-token-that-is-good";

    private final EndpointFixture server = new EndpointFixture(Http.on(0), GuessesTest::look);

    private static Authenticator.Outcome look(Credentials credentials) {
        String token = credentials.bearerToken().orElse("");
        return token.equals(FakeExchange.TOKEN) || token.equals(OTHER)
                ? new Authenticator.Allowed(Principal.of("me"))
                : new Authenticator.Refused("Bearer");
    }

    @Test
    @Tag("HST-17")
    void theAddressesOfOneNetworkOfIpv6CountAsOne() throws Exception {
        for (int i = 0; i < Guesses.A_MINUTE; i++) {
            assertThat(askFrom("[2001:db8:7:7::" + Integer.toHexString(i) + "]"))
                    .isEqualTo(401);
        }

        assertThat(askFrom("2001:db8:7:7:ffff:1:2:3")).isEqualTo(429);
        assertThat(askFrom("[2001:db8:7:8::1]")).isEqualTo(401);
        assertThat(askFrom("192.0.2.7")).isEqualTo(401);
        assertThat(askFrom("unknown:a")).isEqualTo(401);
    }

    private int askFrom(String address) throws Exception {
        FakeExchange exchange = new FakeExchange("DELETE").with("Authorization", "Bearer guess-from-" + address);
        exchange.address = address;
        return server.handle(exchange).status();
    }

    private FakeExchange ask(String token) throws Exception {
        return server.handle(new FakeExchange("DELETE").with("Authorization", "Bearer " + token));
    }

    @Test
    @Tag("HST-17")
    void anAddressMayGuessSoOftenAndThenItsCredentialsAreNotLookedAt() throws Exception {
        assertThat(ask(FakeExchange.TOKEN).status()).isEqualTo(400);
        for (int i = 0; i < Guesses.A_MINUTE; i++) {
            assertThat(ask("guess-" + i).status()).isEqualTo(401);
        }

        FakeExchange refused = ask("guess-20");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.text()).contains("too_many_wrong_credentials").doesNotContain("guess");
        assertThat(Objects.requireNonNull(refused.answer).headers()).containsEntry("Retry-After", "3");
        assertThat(ask(OTHER).status())
                .as("even a good one that was not there before")
                .isEqualTo(429);
        assertThat(ask(FakeExchange.TOKEN).status()).isEqualTo(400);
        assertThat(server.handle(new FakeExchange("DELETE").without("Authorization"))
                        .status())
                .isEqualTo(401);
        server.time.advance(Duration.ofSeconds(3));
        assertThat(ask("guess-21").status()).isEqualTo(401);
        assertThat(ask("guess-22").status()).isEqualTo(429);
        server.time.advance(Duration.ofMinutes(1));
        assertThat(ask(OTHER).status()).isEqualTo(400);
    }
}
