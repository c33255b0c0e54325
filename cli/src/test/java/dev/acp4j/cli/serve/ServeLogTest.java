package dev.acp4j.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.http.Principal;
import dev.acp4j.http.ServerEvent;
import dev.acp4j.http.gateway.GatewayEvent;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The table of log events in the manual, compared with what is written. */
@Timeout(60)
class ServeLogTest {
    private static final Pattern ROW = Pattern.compile("\\| `(\\w+)` \\| ([a-z, ]+) \\|([^|]*)\\|[^|]*\\|");
    private static final Pattern NAME = Pattern.compile("\\w+");

    /** What the command itself writes, beside events: {@code ServeCommandTest} sees the first and the last. */
    private static final Set<String> OF_THE_COMMAND = Set.of("listening", "log", "stopped");

    /** Writes each event to standard error, twice, since what is refused again is counted. */
    static final class Program {
        private Program() {}

        public static void main(String[] args) throws Exception {
            ServeLog log = new ServeLog(Streams.system().err(), true);
            for (int number : new int[] {1, 500, 1, 500}) {
                for (Class<?> event : ServerEvent.class.getPermittedSubclasses()) {
                    log.write((ServerEvent) sample(event, number));
                }
                for (Class<?> event : GatewayEvent.class.getPermittedSubclasses()) {
                    log.write((GatewayEvent) sample(event, number));
                }
            }
            log.end();
        }
    }

    private static Object sample(Class<?> event, int number) throws ReflectiveOperationException {
        List<Class<?>> types = new ArrayList<>();
        List<Object> values = new ArrayList<>();
        for (RecordComponent component : event.getRecordComponents()) {
            types.add(component.getType());
            values.add(
                    switch (component.getType().getSimpleName()) {
                        case "Principal" -> Principal.of("alice");
                        case "Duration" -> Duration.ofSeconds(number);
                        case "boolean" -> true;
                        case "int" -> number;
                        case "long" -> (long) number;
                        default -> number == 1 ? "idle" : "died";
                    });
        }
        var constructor = event.getDeclaredConstructor(types.toArray(Class<?>[]::new));
        return constructor.newInstance(values.toArray());
    }

    @Test
    @Tag("HST-38")
    void theTableOfTheManualHasAllEventsWithTheirLevelsAndMembers() throws Exception {
        Process process = new ProcessBuilder(AcpRun.java(Program.class)).start();
        Map<String, Set<String>> written = new TreeMap<>();
        for (String line : process.errorReader().lines().toList()) {
            JsonObject object = (JsonObject) RawJson.parse(line).value();
            Set<String> words = written.computeIfAbsent(object.text("event").orElseThrow(), unused -> new TreeSet<>());
            words.add(object.text("level").orElseThrow());
            words.addAll(object.members().keySet());
            words.removeAll(Set.of("time", "level", "event"));
        }
        assertThat(process.waitFor()).isZero();

        String page = Files.readString(Path.of("../docs/operators.md"));
        Map<String, Set<String>> documented = new TreeMap<>();
        Matcher row = ROW.matcher(page.substring(page.indexOf("<!-- events:"), page.indexOf("<!-- events: end")));
        while (row.find()) {
            Set<String> words = new TreeSet<>();
            for (String column : List.of(row.group(2), row.group(3))) {
                words.addAll(NAME.matcher(column)
                        .results()
                        .map(result -> result.group())
                        .toList());
            }
            documented.put(row.group(1), words);
        }
        assertThat(documented.keySet()).containsAll(OF_THE_COMMAND);
        documented.keySet().removeAll(OF_THE_COMMAND);
        assertThat(documented).isEqualTo(written);
    }
}
