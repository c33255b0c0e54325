package dev.acp4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * The arrows between the packages of the command: the terminal below what all commands share, the session of chat and
 * prompt above that, each command beside the others, and the one that picks them above all.
 */
class ArchitectureTest {
    private static final List<JavaClass> CLI = new ClassFileImporter()
            .importPath(Path.of("target/classes")).stream().toList();

    private static final String ROOT = "dev.acp4j.cli";

    /** What each package may use beside itself. The arrows point one way as long as each names earlier ones only. */
    private static final List<Map.Entry<String, Set<String>>> USES = List.of(
            Map.entry("terminal", Set.of()),
            Map.entry("markdown", Set.of("terminal")),
            Map.entry("command", Set.of("terminal")),
            Map.entry("session", Set.of("command", "markdown", "terminal")),
            Map.entry("agent", Set.of("command", "terminal")),
            Map.entry("elicitation", Set.of("session", "terminal")),
            Map.entry("agents", Set.of("command", "terminal")),
            Map.entry("chat", Set.of("agents", "command", "elicitation", "session", "terminal")),
            Map.entry("proxy", Set.of("agent", "command", "terminal")),
            Map.entry("conduct", Set.of("command", "proxy", "terminal")),
            Map.entry("connect", Set.of("command", "terminal")),
            Map.entry("editors", Set.of("command", "conduct", "proxy", "terminal")),
            Map.entry("doctor", Set.of("command", "conduct", "connect", "editors", "terminal")),
            Map.entry("login", Set.of("command", "connect", "terminal")),
            Map.entry("prompt", Set.of("agents", "command", "elicitation", "session", "terminal")),
            Map.entry("serve", Set.of("command", "conduct", "terminal")),
            Map.entry("sessions", Set.of("command", "session", "terminal")),
            Map.entry("trace", Set.of("command", "terminal")),
            Map.entry("translate", Set.of("agent", "command", "terminal")),
            Map.entry(
                    "",
                    Set.of(
                            "agent",
                            "agents",
                            "chat",
                            "command",
                            "conduct",
                            "connect",
                            "doctor",
                            "editors",
                            "login",
                            "prompt",
                            "proxy",
                            "serve",
                            "sessions",
                            "terminal",
                            "trace",
                            "translate")));

    @Test
    void packagesUseThoseBelowThemOnly() {
        assertThat(USES).allSatisfy(entry -> assertThat(used(entry.getKey())).isSubsetOf(entry.getValue()));
    }

    @Test
    void noArrowPointsBack() {
        Set<String> earlier = new TreeSet<>();
        for (Map.Entry<String, Set<String>> entry : USES) {
            assertThat(earlier).containsAll(entry.getValue());
            earlier.add(entry.getKey());
        }

        assertThat(CLI)
                .extracting(type -> room(type.getPackageName()))
                .allSatisfy(room -> assertThat(earlier).contains(room));
    }

    @Test
    void theTerminalKnowsNothingOfAgents() {
        var uses = CLI.stream()
                .filter(type -> Set.of("markdown", "terminal").contains(room(type.getPackageName())))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .map(use -> use.getTargetClass().getPackageName())
                .filter(name -> name.startsWith("dev.acp4j") && !name.startsWith(ROOT));

        assertThat(uses).isEmpty();
    }

    private static Set<String> used(String room) {
        Set<String> rooms = new TreeSet<>();
        for (JavaClass type : CLI) {
            if (!room(type.getPackageName()).equals(room)) {
                continue;
            }
            for (Dependency use : type.getDirectDependenciesFromSelf()) {
                String target = use.getTargetClass().getPackageName();
                if (target.startsWith(ROOT) && !room(target).equals(room)) {
                    rooms.add(room(target));
                }
            }
        }
        return rooms;
    }

    private static String room(String packageName) {
        return packageName.equals(ROOT) ? "" : packageName.substring(ROOT.length() + 1);
    }
}
