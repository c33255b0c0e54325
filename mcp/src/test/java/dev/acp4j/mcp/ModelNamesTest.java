package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ModelNamesTest {
    @Tag("MCX-16")
    @Test
    void noTwoToolsShareANameAndEveryNameIsValidForModels() {
        String longName = "a".repeat(80);
        List<String> parts = List.of(
                "a",
                "a_",
                "_a",
                "a_b",
                "a.b",
                "a__b",
                "b",
                "b__c",
                "c",
                "ä",
                "ö",
                "",
                longName + "x",
                longName + "y",
                ModelNames.of("a.b", "c").substring(3));
        Set<String> names = new HashSet<>();

        for (String server : parts) {
            for (String tool : parts) {
                String name = ModelNames.of(server, tool);
                assertThat(name).matches("[a-zA-Z0-9_-]{1,64}");
                assertThat(names.add(name))
                        .as("%s of %s is %s", tool, server, name)
                        .isTrue();
            }
        }
    }

    @Test
    void aPlainNameStaysAsItIs() {
        assertThat(ModelNames.of("files", "read_file")).isEqualTo("files__read_file");
    }
}
