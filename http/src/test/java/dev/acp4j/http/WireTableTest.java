package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The table of members of {@code _meta} in the manual, compared with those of the transport. */
class WireTableTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(acp4?j?/\\w+)` \\|");

    @Test
    void theTableOfTheManualHasAllMembersOfMeta() throws Exception {
        Set<String> documented = new TreeSet<>();
        ROW.matcher(Files.readString(Path.of("../docs/remote.md")))
                .results()
                .forEach(row -> documented.add(row.group(1)));

        Set<String> used = new TreeSet<>();
        for (Field field : Wire.class.getDeclaredFields()) {
            if (field.get(null) instanceof String name && name.matches("acp4?j?/.*")) {
                used.add(name);
            }
        }

        assertThat(used).isNotEmpty();
        assertThat(documented).containsAll(used);
    }
}
