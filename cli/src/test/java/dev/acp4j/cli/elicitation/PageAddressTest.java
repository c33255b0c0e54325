package dev.acp4j.cli.elicitation;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PageAddressTest {
    @ParameterizedTest
    @Tag("SEC-06")
    @CsvSource(
            delimiter = '|',
            value = {
                "https://example.com/a?b=http://other.example | example.com | ",
                "https://me:pw@example.com:8443/a | example.com | before the @",
                "https://192.168.0.1/ | 192.168.0.1 | bare address, not a name. It does not say",
                "https://2130706433/ | 2130706433 | bare address",
                "https://0x7f000001/ | 0x7f000001 | bare address",
                "https://[2001:db8::1]/ | [2001:db8::1] | bare address",
                "http://127.0.0.1:8080/callback | 127.0.0.1 | a program on this computer",
                "http://localhost:8080/callback | localhost | ",
                "http://127.0.0.1.example.org/ | 127.0.0.1.example.org | not encrypted",
                "http://example.com/ | example.com | not encrypted",
                "https://xn--pple-43d.com/ | xn--pple-43d.com | It mixes letters of Latin and Cyrillic.",
                "https://www.xn--bcher-kva.example/ | www.xn--bcher-kva.example | stands for \"bücher\"",
                "https://xn--r8jz45g.jp/ | xn--r8jz45g.jp | stands for \"例え\"",
            })
    void whatMayMisleadIsNamed(String url, String host, @Nullable String warning) {
        PageAddress address = PageAddress.of(url);

        assertThat(address.text()).isEqualTo(url);
        assertThat(url.substring(address.hostAt())).startsWith(host);
        assertThat(address.host()).isEqualTo(host);
        if (warning == null) {
            assertThat(address.warnings()).isEmpty();
        } else {
            assertThat(address.warnings()).singleElement().asString().contains(warning);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://xn--bcher-kva.example/", "https://xn--r8jz45g.jp/", "https://xn--80ak6aa92e.com/"})
    void lettersOfOneLanguageAreNotCalledMixed(String url) {
        assertThat(PageAddress.of(url).warnings()).singleElement().asString().doesNotContain("mixes");
    }

    @Test
    void whatIsShownIsWhatIsOpened() {
        assertThat(PageAddress.of("https://example.com/а\u202e").text())
                .isEqualTo("https://example.com/%D0%B0%E2%80%AE");
    }
}
