package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("SCH-08")
final class ChangeTest {
    private static final SessionUpdate.SessionInfoUpdate KEEP =
            SessionUpdate.SessionInfoUpdate.builder().build();

    private static SessionUpdate.SessionInfoUpdate read(String json) {
        return RawJson.parse(json).decode(SessionUpdateSessionInfoUpdateCodec.INSTANCE);
    }

    private static String write(SessionUpdate.SessionInfoUpdate update) {
        return RawJson.encode(update, SessionUpdateSessionInfoUpdateCodec.INSTANCE)
                .toString();
    }

    @Test
    void absentKeepsNullClearsAndAValueReplaces() {
        assertThat(read("{}").title()).isEqualTo(Change.keep());
        assertThat(read("{\"title\":null}").title()).isEqualTo(Change.clear());
        assertThat(read("{\"title\":\"a\"}").title()).isEqualTo(Change.replace("a"));
    }

    @Test
    void wrongValueSaysNothing() {
        assertThat(read("{\"title\":7}").title()).isEqualTo(Change.keep());
    }

    @Test
    void isWrittenAsItWasRead() {
        assertThat(write(KEEP)).isEqualTo("{}");
        assertThat(write(KEEP.toBuilder().clearTitle().build())).isEqualTo("{\"title\":null}");
        assertThat(write(KEEP.toBuilder().title("a").build())).isEqualTo("{\"title\":\"a\"}");
        assertThat(write(KEEP.toBuilder().title("a").title(Change.keep()).build()))
                .isEqualTo("{}");
    }

    @Test
    void appliesToTheValueThereIs() {
        assertThat(Change.<String>keep().applyTo("old")).isEqualTo("old");
        assertThat(Change.<String>clear().applyTo("old")).isNull();
        assertThat(Change.replace("new").applyTo(null)).isEqualTo("new");
    }

    @Test
    void appliesToAListThatIsNeverNull() {
        List<String> old = List.of("old");

        assertThat(Change.<List<String>>keep().applyTo(old, List.of())).isEqualTo(old);
        assertThat(Change.<List<String>>clear().applyTo(old, List.of())).isEmpty();
        assertThat(Change.replace(List.of("new")).applyTo(old, List.of())).containsExactly("new");
    }

    @Test
    void builderAddsToAListThatReplaces() {
        ToolCallUpdate update = ToolCallUpdate.builder(ToolCallId.of("t"))
                .addContent(ToolCallContent.text("a"))
                .addContent(ToolCallContent.text("b"))
                .build();

        assertThat(update.content().applyTo(List.of(), List.of())).hasSize(2);
        assertThat(update.toBuilder().clearContent().build().content()).isEqualTo(Change.clear());
    }
}
