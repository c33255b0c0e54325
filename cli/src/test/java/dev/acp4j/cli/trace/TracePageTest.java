package dev.acp4j.cli.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.Browser;
import dev.acp4j.cli.TraceSamples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page that shows a trace, in a real browser. */
@Timeout(180)
class TracePageTest {
    private static final String EVIL =
            "</script><script>document.title='taken'</script><img src=x onerror=alert(1)><!--";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path temp;

    private Path page(String trace) throws IOException {
        Path file = Files.writeString(temp.resolve("a.trace.jsonl"), trace);
        Path page = temp.resolve("a.html");
        AcpRun run = AcpRun.acp("trace", "show", file.toString(), "--html", page.toString())
                .run();
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).isEqualTo(page + "\n");
        return page;
    }

    private Browser open(Path page) throws IOException {
        return Browser.open(page, temp.resolve("profile"));
    }

    private static String shown(Browser browser) throws IOException {
        return browser.eval("document.getElementById('count').textContent");
    }

    private static String texts(Browser browser, String selector) throws IOException {
        return browser.eval(
                "Array.from(document.querySelectorAll('" + selector + "')).map(e => e.textContent).join('\\n')");
    }

    private static void assertAlone(Browser browser, Path page) {
        assertThat(browser.complaints()).isEmpty();
        assertThat(browser.requests()).containsExactly(page.toUri().toString());
    }

    @Test
    void aPageReplacesAnEarlierPageAndNothingElse() throws Exception {
        Path page = page(TraceSamples.CHAIN);
        assertThat(page(TraceSamples.CHAIN)).isEqualTo(page);
        Path recording = Files.writeString(temp.resolve("b.trace.jsonl"), TraceSamples.CHAIN);

        AcpRun run = AcpRun.acp(
                        "trace",
                        "show",
                        "--html",
                        recording.toString(),
                        temp.resolve("a.trace.jsonl").toString())
                .run();

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("b.trace.jsonl exists and is not such a page, so it is kept");
        assertThat(recording).content().isEqualTo(TraceSamples.CHAIN);
    }

    @Test
    @Tag("TRC-07")
    void itShowsTheTraceOnItsOwn() throws Exception {
        Path page = page(TraceSamples.CHAIN);

        try (Browser browser = open(page)) {
            assertThat(browser.eval("document.title")).isEqualTo("Trace of gemini --acp");
            assertThat(texts(browser, "#names b")).isEqualTo("client\nproxy:0\nagent");
            assertThat(shown(browser)).isEqualTo("11 events");
            assertThat(texts(browser, ".arrow span").lines())
                    .startsWith("initialize #0", "initialize #0", "initialize #0", "initialize #0")
                    .contains("session/update", "fs/read_text_file #9", "not a message");
            assertThat(texts(browser, ".took").lines()).contains("500 ms", "1.50 s");
            assertThat(texts(browser, ".text").lines())
                    .contains("agent_message_chunk · “Hello”", "no such file (-32002)", "warming up");
            assertThat(browser.eval("document.getElementById('notice').textContent"))
                    .isEqualTo("1 request was never answered:session/prompt #2");
            assertAlone(browser, page);
        }
    }

    @Test
    @Tag("TRC-07")
    void filtersNarrowIt() throws Exception {
        try (Browser browser = open(page(TraceSamples.CHAIN))) {
            browser.press("e");
            assertThat(shown(browser)).isEqualTo("2 of 11 events");
            browser.press("e").press("/").type("HELLO");
            assertThat(texts(browser, ".text")).isEqualTo("agent_message_chunk · “Hello”");

            browser.eval("document.getElementById('filters').reset(); document.getElementById('method').focus()");
            browser.type("init*");
            assertThat(shown(browser)).isEqualTo("4 of 11 events");

            browser.eval("document.getElementById('filters').reset(); const s = document.getElementById('session');"
                    + "s.value = 's1'; s.dispatchEvent(new Event('change'))");
            assertThat(shown(browser)).isEqualTo("4 of 11 events");

            browser.press("Escape").press("/").type("nowhere to be found");
            assertThat(browser.eval("document.getElementById('none').hidden")).isEqualTo("false");
        }
    }

    @Test
    @Tag("TRC-07")
    void keysLeadThroughItToTheWholeMessage() throws Exception {
        try (Browser browser = open(page(TraceSamples.CHAIN))) {
            browser.press("ArrowDown").press("Enter");
            assertThat(browser.eval("document.getElementById('title').textContent"))
                    .isEqualTo("initialize #0");
            assertThat(browser.eval("document.getElementById('body').textContent"))
                    .isEqualTo("""
                    {
                      "jsonrpc": "2.0",
                      "id": 0,
                      "method": "initialize",
                      "params": {
                        "protocolVersion": 1,
                        "big": 12345678901234567890,
                        "none": {},
                        "list": [
                          1,
                          "a,b"
                        ]
                      }
                    }""");

            browser.press("p");
            assertThat(texts(browser, "#facts dd")).contains("after 500 ms").contains("agent → proxy:0");
            browser.press("n");
            assertThat(texts(browser, ".chosen .text")).isEqualTo("no such file (-32002)");
            // The request of the error does not fit the filter, which gives way.
            browser.press("e").press("p");
            assertThat(shown(browser)).isEqualTo("11 events");
            assertThat(texts(browser, "#facts dd")).contains("request").contains("after 100 ms");
            browser.press("Escape");
            assertThat(browser.eval("document.getElementById('details').hidden"))
                    .isEqualTo("true");
            assertThat(browser.complaints()).isEmpty();
        }
    }

    @Test
    void whatStandsInATraceIsNeverRun() throws Exception {
        String evil = EVIL.replace("\"", "\\\"");
        Path page = page("{\"trace\":1,\"began\":\"2026-01-01T00:00:00Z\",\"subject\":\"" + evil + "\"}\n"
                + "{\"ts\":0.1,\"type\":\"request\",\"from\":\"" + evil + "\",\"to\":\"agent\",\"id\":\"" + evil
                + "\",\"method\":\"" + evil + "\",\"session\":\"" + evil + "\",\"params\":{\"" + evil + "\":\"" + evil
                + "\"}}\n"
                + "{\"ts\":0.2,\"type\":\"stderr\",\"from\":\"agent\",\"text\":\"" + evil + "\\u001b[2J\\u202e\"}\n"
                + "{\"ts\":0.3,\"type\":\"noise\",\"from\":\"agent\",\"to\":\"client\",\"text\":\"" + evil + "\"}\n");

        try (Browser browser = open(page)) {
            for (String key : List.of("Enter", "ArrowDown", "ArrowDown")) {
                browser.press(key);
                assertThat(browser.eval("document.getElementById('body').textContent"))
                        .contains("onerror=alert(1)");
            }

            assertThat(browser.eval("document.title")).isEqualTo("Trace of " + EVIL);
            assertThat(browser.number("document.querySelectorAll('img').length"))
                    .isZero();
            assertThat(browser.number("document.scripts.length")).isEqualTo(3);
            assertThat(texts(browser, ".stderr .text")).contains("<U+202E>").doesNotContain("\u001b");
            assertAlone(browser, page);
        }
    }

    @Test
    void itsPolicyRunsNothingButItsOwnScript() throws Exception {
        Path page = page(TraceSamples.CHAIN);
        Files.writeString(
                page, Files.readString(page).replace("</header>", "</header><script>document.title='taken'</script>"));

        try (Browser browser = open(page)) {
            assertThat(browser.eval("document.title")).isEqualTo("Trace of gemini --acp");
            assertThat(browser.complaints()).singleElement().asString().contains("Content Security Policy");
        }
    }

    @Test
    @Tag("TRC-07")
    void twentyThousandMessagesAreShownWithoutDelay() throws Exception {
        try (Browser browser = open(page(TraceSamples.large(20_000)))) {
            double loaded = browser.number("performance.getEntriesByType('navigation')[0].loadEventEnd");
            double search = browser.number("new Promise(done => { const began = performance.now();"
                    + " const box = document.getElementById('search'); box.value = 'piece 16 of turn 42 ';"
                    + " document.getElementById('filters').requestSubmit();"
                    + " requestAnimationFrame(() => done(performance.now() - began)); })");
            String found = shown(browser);
            double scroll = browser.number(
                    "new Promise(done => { document.getElementById('search').value = '';"
                            + " document.getElementById('filters').requestSubmit(); const began = performance.now(); let left = 20;"
                            + " const list = document.getElementById('list'); const step = () => { list.scrollTop += 31000;"
                            + " if (--left) requestAnimationFrame(step); else done((performance.now() - began) / 20); }; step(); })");

            System.out.printf(
                    "20,000 messages: loaded in %.0f ms, searched in %.0f ms, %.0f ms a jump%n",
                    loaded, search, scroll);
            assertThat(shown(browser)).isEqualTo("20000 events");
            assertThat(found).isEqualTo("1 of 20000 events");
            assertThat(browser.number("document.querySelectorAll('.row').length"))
                    .isBetween(20.0, 100.0);
            browser.press("End");
            assertThat(texts(browser, ".chosen .time")).isEqualTo("199.990");
            // A tenth of this on a quiet machine.
            assertThat(Duration.ofMillis((long) (loaded + search))).isLessThan(Duration.ofSeconds(20));
        }
    }

    @Test
    void onlyItsOwnerMayReadThePage() throws Exception {
        Path page = page(TraceSamples.CHAIN);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(page)))
                .isEqualTo("rw-------");
        assertThat(Files.readString(page)).doesNotContain("http://", "https://");
    }
}
