package dev.acp4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The ways by which characters leave the process: text of a peer cannot pass by {@link TerminalText}. */
@Tag("SEC-07")
class WaysOutTest {
    private static final List<JavaClass> CLI = new ClassFileImporter()
            .importPath(Path.of("target/classes")).stream().toList();

    @Test
    void standardStreamsAreOpenedInOnePlaceAndByCommandsThatHandOnBytes() {
        assertThat(usersOf(Set.of("java.io.FileDescriptor.out", "java.io.FileDescriptor.err")))
                .containsExactly("AttachedLine", "Relay", "Streams", "TestAgentCommand");
        assertThat(usersOf(Set.of("java.lang.System.out", "java.lang.System.err")))
                .isEmpty();
        // They hide what is typed, which no other class can; what they show of an agent has passed SafeText.
        assertThat(usersOf(Set.of("java.lang.System.console"))).containsExactly("SetCommand", "VariableQuestion");
    }

    @Test
    void bytesGoOutOnlyWhereATraceOrSettingsAreForAnotherProgram() {
        assertThat(usersOf(Set.of("dev.acp4j.cli.terminal.StandardStream.bytes")))
                .containsExactly("EditorsReport", "ShowCommand");
    }

    @Test
    void aTerminalIsWrittenInOnePlace() {
        assertThat(usersOf(Set.of(
                        "org.jline.terminal.Terminal.writer",
                        "org.jline.terminal.Terminal.output",
                        "org.jline.reader.LineReader.printAbove")))
                .containsExactly("TerminalConsole");
    }

    private static Set<String> usersOf(Set<String> targets) {
        Set<String> users = new TreeSet<>();
        for (JavaClass type : CLI) {
            for (JavaAccess<?> access : type.getAccessesFromSelf()) {
                String target = access.getTargetOwner().getName() + "."
                        + access.getTarget().getName();
                if (targets.contains(target)) {
                    users.add(type.getName().replaceAll(".*\\.|\\$.*", ""));
                }
            }
        }
        return users;
    }
}
