package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PendingNoticesTest {
    private final PendingNotices pending = new PendingNotices();

    /** Returns what is there, as text. */
    private List<String> passed() throws InterruptedException {
        List<String> passed = new ArrayList<>();
        pending.end();
        pending.passTo((method, params) -> passed.add(method + " " + params));
        return passed;
    }

    private void send(String method, String params) {
        pending.send(method, RawJson.parse(params));
    }

    @Test
    void whatIsNotReadIsBoundedWhateverItsMethodIs() throws Exception {
        send("notifications/tools/list_changed", "{}");
        for (int i = 0; i < 2_000; i++) {
            send("notifications/elicitation/complete", "{\"elicitationId\":\"" + i + "\"}");
        }

        List<String> passed = passed();

        // The change of a list stays, and of the others the newest do, in their order.
        assertThat(passed).hasSize(1_000).startsWith("notifications/tools/list_changed {}");
        assertThat(passed.get(1)).contains("\"1001\"");
        assertThat(passed.getLast()).contains("\"1999\"");
    }

    @Test
    void aLargeAmountIsBoundedToo() throws Exception {
        String large = "{\"text\":\"" + "x".repeat(6 << 20) + "\"}";
        for (int i = 0; i < 4; i++) {
            send("notifications/unknown", large);
        }

        assertThat(passed()).hasSize(2);
    }

    @Test
    void aListThatChangesAgainIsReportedOnceAlsoWithOtherParams() throws Exception {
        send("notifications/tools/list_changed", "{\"_meta\":{\"n\":1}}");
        send("notifications/resources/updated", "{\"uri\":\"notes://1\"}");
        send("notifications/tools/list_changed", "{\"_meta\":{\"n\":2}}");
        send("notifications/resources/updated", "{\"uri\":\"notes://1\"}");
        send("notifications/resources/updated", "{\"uri\":\"notes://2\"}");

        assertThat(passed())
                .containsExactly(
                        "notifications/tools/list_changed {\"_meta\":{\"n\":1}}",
                        "notifications/resources/updated {\"uri\":\"notes://1\"}",
                        "notifications/resources/updated {\"uri\":\"notes://2\"}");
    }
}
