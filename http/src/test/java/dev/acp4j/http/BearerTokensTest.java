package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("HST-16")
class BearerTokensTest {
    private static final String ALICE = "alice-token-of-some-length";
    private static final String BOB = "bob-token-of-some-length";

    @TempDir
    private Path folder;

    private Path file;
    private Instant now = Instant.parse("2026-11-25T12:00:00Z");

    @BeforeEach
    void write() throws IOException {
        file = folder.resolve("tokens");
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }

    private BearerTokens read(String text) throws IOException {
        Files.writeString(file, text);
        return BearerTokens.read(file, () -> now);
    }

    private static Authenticator.Outcome ask(BearerTokens tokens, String authorization) {
        return tokens.authenticate(new FakeExchange("GET").with("Authorization", authorization));
    }

    @Test
    void eachTokenHasAName() throws Exception {
        BearerTokens tokens = read("# names\n\nalice " + ALICE + "\nbob\t" + BOB + " 2026-11-25T13:00:00Z\n");

        assertThat(ask(tokens, "Bearer " + ALICE))
                .isInstanceOfSatisfying(
                        Authenticator.Allowed.class,
                        allowed -> assertThat(allowed.principal()).isEqualTo(Principal.of("alice")));
        assertThat(ask(tokens, "bearer " + BOB)).isInstanceOf(Authenticator.Allowed.class);
        assertThat(ask(tokens, "Bearer " + ALICE + "x")).isEqualTo(new Authenticator.Refused("Bearer"));
        assertThat(ask(tokens, "Basic " + ALICE)).isInstanceOf(Authenticator.Refused.class);
        assertThat(ask(tokens, ALICE)).isInstanceOf(Authenticator.Refused.class);
    }

    @Test
    void aTokenThatExpiresOrIsRemovedIsNoLongerValid() throws Exception {
        BearerTokens tokens = read("alice " + ALICE + "\nbob " + BOB + " 2026-11-25T13:00:00Z\n");
        BooleanSupplier alice = ((Authenticator.Allowed) ask(tokens, "Bearer " + ALICE)).valid();
        BooleanSupplier bob = ((Authenticator.Allowed) ask(tokens, "Bearer " + BOB)).valid();
        assertThat(alice.getAsBoolean()).isTrue();
        assertThat(bob.getAsBoolean()).isTrue();

        now = now.plus(Duration.ofHours(1));
        assertThat(bob.getAsBoolean()).isFalse();
        assertThat(ask(tokens, "Bearer " + BOB)).isInstanceOf(Authenticator.Refused.class);

        Files.writeString(file, "bob " + BOB + "\n");
        Files.setLastModifiedTime(file, FileTime.from(now.plusSeconds(7)));
        now = now.plusSeconds(2);
        assertThat(alice.getAsBoolean()).isFalse();
        assertThat(bob.getAsBoolean()).isTrue();
    }

    @Test
    void aTokenThatIsRemovedIsNoLongerValidWhenTheClockWasSetBack() throws Exception {
        BearerTokens tokens = read("alice " + ALICE + "\n");
        BooleanSupplier alice = ((Authenticator.Allowed) ask(tokens, "Bearer " + ALICE)).valid();
        Files.writeString(file, "bob " + BOB + "\n");
        Files.setLastModifiedTime(file, FileTime.from(now.plusSeconds(7)));
        now = now.minus(Duration.ofHours(1));

        assertThat(alice.getAsBoolean()).isFalse();
    }

    @Test
    void aFileThatOthersMayReadIsRefused() throws Exception {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));

        assertThatThrownBy(() -> read("alice " + ALICE))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("chmod 600");
    }

    @Test
    void aWrongLineIsNamedWithoutItsToken() {
        assertThatThrownBy(() -> read("alice " + ALICE + "\nbob"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("tokens:2: expected a name, a token");
        assertThatThrownBy(() -> read("alice short"))
                .hasMessageContaining("16 characters")
                .hasMessageNotContaining("short");
        assertThatThrownBy(() -> read("alice " + ALICE + " tomorrow"))
                .hasMessageContaining("2027-01-31T00:00:00Z")
                .hasMessageNotContaining(ALICE);
    }

    @Test
    void aFileThatIsGoneLetsNobodyIn() throws Exception {
        BearerTokens tokens = read("alice " + ALICE);
        Files.delete(file);

        assertThat(ask(tokens, "Bearer " + ALICE)).isInstanceOf(Authenticator.Allowed.class);
        Files.createFile(file);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        now = now.plusSeconds(2);
        assertThat(ask(tokens, "Bearer " + ALICE)).isInstanceOf(Authenticator.Refused.class);
    }
}
