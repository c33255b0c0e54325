package dev.acp4j.http.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.http.Principal;
import dev.acp4j.http.ServerEvent;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The table of metrics in the manual, compared with what is written. */
class MetricsTableTest {
    private static final Pattern ROW = Pattern.compile("\\| `(acp_\\w+)` \\| (\\w+) \\| ([^|]*)\\|.*");
    private static final Pattern TYPE = Pattern.compile("# TYPE (\\w+) (\\w+)");
    private static final Pattern LABELS = Pattern.compile("(acp_\\w+?)(?:_bucket)?\\{(.*)} .*");

    @Test
    @Tag("HST-37")
    void theTableOfTheManualHasAllMetricsWithTheirTypesAndLabels() throws Exception {
        Metrics metrics = new Metrics();
        for (Class<?> event : ServerEvent.class.getPermittedSubclasses()) {
            metrics.count((ServerEvent) sample(event));
        }
        for (Class<?> event : GatewayEvent.class.getPermittedSubclasses()) {
            metrics.count((GatewayEvent) sample(event));
        }
        Map<String, String> written = new TreeMap<>();
        for (String line : metrics.text(Map.of()).lines().toList()) {
            Matcher type = TYPE.matcher(line);
            Matcher labels = LABELS.matcher(line);
            if (type.matches()) {
                written.put(type.group(1), type.group(2) + " []");
            } else if (labels.matches()) {
                written.compute(
                        labels.group(1),
                        (name, typed) -> typed.split(" ", -1)[0] + " " + names(labels.group(2), "(\\w+)="));
            }
        }

        Map<String, String> documented = new TreeMap<>();
        Matcher row = ROW.matcher(Files.readString(Path.of("../docs/operators.md")));
        while (row.find()) {
            // Values of a label stand behind a colon.
            String labels = row.group(3).replaceAll(":.*", "");
            documented.put(row.group(1), row.group(2) + " " + names(labels, "`(\\w+)`"));
        }
        assertThat(documented).isEqualTo(written);
    }

    private static String names(String text, String pattern) {
        return new TreeSet<>(Pattern.compile(pattern)
                        .matcher(text)
                        .results()
                        .map(result -> result.group(1))
                        .toList())
                .toString();
    }

    private static Object sample(Class<?> event) throws ReflectiveOperationException {
        List<Class<?>> types = new ArrayList<>();
        List<Object> values = new ArrayList<>();
        for (RecordComponent component : event.getRecordComponents()) {
            types.add(component.getType());
            values.add(
                    switch (component.getType().getSimpleName()) {
                        case "Principal" -> Principal.of("alice");
                        case "Duration" -> Duration.ofSeconds(1);
                        case "boolean" -> true;
                        case "int" -> 1;
                        case "long" -> 1L;
                        default -> "text";
                    });
        }
        var constructor = event.getDeclaredConstructor(types.toArray(Class<?>[]::new));
        return constructor.newInstance(values.toArray());
    }
}
