package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ListeningTest {
    @Tag("MCX-15")
    @Test
    void whenTooMuchWaitsTheInnermostResourceIsReportedWhichIsAPartOfTheOthers() throws Exception {
        Listening listening = new Listening(
                Members.of(RawJson.parse("{\"resourceSubscriptions\":[\"file:///a\",\"file:///a/b\"]}")),
                list -> false,
                true);
        for (int i = 0; i < 256; i++) {
            listening.updated("file:///a/" + i);
        }

        listening.updated("file:///a/b/c");

        List<String> reported = new ArrayList<>();
        RawJson unused = listening.report((method, params) -> {
            reported.add(Members.of(params).text("uri", ""));
            if (reported.size() == 258) {
                listening.end();
            }
        });
        assertThat(reported).hasSize(258).endsWith("file:///a/255", "file:///a/b");
    }
}
