package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.schema.codec.Rejecting;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The arrows between the layers: json below redaction, rpc and schema, these below processes and traces, all of these
 * below the session API, and the JDK below all.
 */
class ArchitectureTest {
    private static final Path CLASSES = Path.of("target/classes");
    private static final Set<String> REJECTS = Set.of("Bounds", "ElicitationScope", "IllegalArgumentException");
    private static final List<JavaClass> CORE =
            new ClassFileImporter().importPath(CLASSES).stream().toList();

    @Test
    void jsonUsesTheJdkAlone() {
        assertThat(otherUses("dev.acp4j.json", Set.of())).isEmpty();
    }

    @Test
    void redactionUsesJson() {
        assertThat(otherUses("dev.acp4j.redaction", Set.of("dev.acp4j.json"))).isEmpty();
    }

    @Test
    void rpcUsesJsonAndRedaction() {
        assertThat(otherUses("dev.acp4j.rpc", Set.of("dev.acp4j.json", "dev.acp4j.redaction")))
                .isEmpty();
    }

    @Test
    void schemaUsesJsonAndTheIdOfARequest() {
        assertThat(otherUses("dev.acp4j.schema", Set.of("dev.acp4j.json", "dev.acp4j.schema.codec")))
                .filteredOn(use -> !use.getTargetClass().isEquivalentTo(RequestId.class))
                .isEmpty();
    }

    /** The codecs of other records let such an exception through, without the place of what is wrong. */
    @Test
    void recordsThatRejectWhatWasReadAreMarked() {
        assertThat(CORE.stream()
                        .filter(type -> type.isRecord() && type.getPackageName().equals("dev.acp4j.schema"))
                        .filter(type -> type.getConstructors().stream()
                                .flatMap(made -> made.getAccessesFromSelf().stream())
                                .anyMatch(access ->
                                        REJECTS.contains(access.getTargetOwner().getSimpleName()))))
                .extracting(JavaClass::getName)
                .containsExactlyInAnyOrderElementsOf(CORE.stream()
                        .filter(type -> type.isAnnotatedWith(Rejecting.class))
                        .map(JavaClass::getName)
                        .toList());
    }

    @Test
    void whatCodecsCallUsesJson() {
        assertThat(otherUses("dev.acp4j.schema.codec", Set.of("dev.acp4j.json")))
                .isEmpty();
    }

    @Test
    void tracesUseRpcJsonAndRedaction() {
        assertThat(otherUses("dev.acp4j.trace", Set.of("dev.acp4j.json", "dev.acp4j.redaction", "dev.acp4j.rpc")))
                .isEmpty();
    }

    @Test
    void processesUseRpcJsonAndRedaction() {
        assertThat(otherUses("dev.acp4j.process", Set.of("dev.acp4j.json", "dev.acp4j.redaction", "dev.acp4j.rpc")))
                .isEmpty();
    }

    @Test
    void theSessionApiUsesTheLayersBelowIt() {
        assertThat(otherUses(
                        "dev.acp4j",
                        Set.of(
                                "dev.acp4j.json",
                                "dev.acp4j.process",
                                "dev.acp4j.redaction",
                                "dev.acp4j.rpc",
                                "dev.acp4j.schema",
                                "dev.acp4j.trace")))
                .isEmpty();
    }

    /**
     * Records of the wire that stand above the dialects: those that have one shape in all versions or that only one
     * version has, among them those of files and terminals, which only the handlers of version 1 see.
     */
    private static final Pattern ABOVE_THE_DIALECTS = Pattern.compile(
            ".*\\.(ToolCallUpdate|TerminalUpdate|SubagentUpdate|Subagent\\w*Capabilities|SessionCancelCapabilities|SessionMessageChunk|TerminalOutputChunk|CompactionUpdate|UsageUpdate|CompactionSummaryChunk|(Create|Complete)Elicitation.*"
                    + "|(ToolCall|Terminal)(Cancel)?Capabilities|Cancel(ToolCall|Terminal).*|ListSessions.*|SetProviderRequest|SessionStatusResponse|(Read|Write)TextFile.*|.*Terminal\\w*(Request|Response))(Builder)?");

    /** An agent says what happens in the records of updates, and each client gets them as its version has them. */
    private static final Pattern SAID_BY_AGENTS = Pattern.compile(".*\\.(SessionUpdate|StateUpdate).*");

    private static final Pattern WIRE =
            Pattern.compile(".*(Request|Response|Notification|Update|Chunk|Capabilities)(V2)?(\\$.*)?(Builder)?");

    @Test
    void aboveTheDialectsNobodyKnowsTheWire() {
        var uses = CORE.stream()
                .filter(type -> type.getPackageName().equals("dev.acp4j"))
                .filter(type -> Stream.of(
                                "ClientDialect",
                                "ClientCapabilitiesOf",
                                "AgentDialect",
                                "AgentCapabilitiesOf",
                                "VendorDialect",
                                "Conversions",
                                "SentInVersion",
                                "Translator")
                        .noneMatch(shortName(type)::startsWith))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(use -> isOfTheWire(use.getTargetClass(), use.getOriginClass()));

        assertThat(uses).isEmpty();
    }

    private static boolean isOfTheWire(JavaClass type, JavaClass user) {
        boolean agents = Stream.of("Agent", "SessionWriter", "ConnectedClient", "ToolCallHandle", "Outgoing")
                .anyMatch(shortName(user)::startsWith);
        String name = type.getName();
        return type.getPackageName().equals("dev.acp4j.schema")
                && WIRE.matcher(name).matches()
                && !ABOVE_THE_DIALECTS.matcher(name).matches()
                && !(agents && SAID_BY_AGENTS.matcher(name).matches());
    }

    private static String shortName(JavaClass type) {
        return type.getName().substring("dev.acp4j.".length());
    }

    @Test
    void everyPublicTypeIsInAnExportedPackage() throws IOException {
        ModuleDescriptor module;
        try (var in = Files.newInputStream(CLASSES.resolve("module-info.class"))) {
            module = ModuleDescriptor.read(in);
        }
        var exported =
                module.exports().stream().map(ModuleDescriptor.Exports::source).toList();

        var hidden = CORE.stream()
                .filter(type -> type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(type -> !exported.contains(type.getPackageName()));

        assertThat(hidden).isEmpty();
    }

    @Test
    @Tag("API-10")
    @Tag("SCH-22")
    @Tag("SEC-08")
    void nothingIsFoundByItsNameAtRunTime() {
        // So an image of native code has all it needs without being told.
        var types = Set.of("java.lang.ClassLoader", "java.util.ServiceLoader", "java.io.ObjectInputStream");
        var harmless = Set.of("getSimpleName", "getName", "isInstance", "cast", "desiredAssertionStatus");

        var uses = CORE.stream()
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(use -> use.getTargetClass().getPackageName().equals("java.lang.reflect")
                        || types.contains(use.getTargetClass().getName()));
        var calls = CORE.stream()
                .flatMap(type -> type.getMethodCallsFromSelf().stream())
                .filter(call -> call.getTargetOwner().isEquivalentTo(Class.class))
                .filter(call -> !harmless.contains(call.getName()));

        assertThat(uses).isEmpty();
        assertThat(calls).isEmpty();
    }

    /**
     * What classes of a package use, other than itself, the given packages, the JDK, and annotations for the compiler.
     */
    private static List<Dependency> otherUses(String name, Set<String> others) {
        return CORE.stream()
                .filter(type -> type.getPackageName().equals(name))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(use -> uses(use, name, others))
                .toList();
    }

    private static boolean uses(Dependency dependency, String name, Set<String> others) {
        String used = dependency.getTargetClass().getBaseComponentType().getPackageName();
        boolean allowed = used.isEmpty() // a primitive
                || used.equals(name)
                || others.contains(used)
                || Stream.of("java.", "jdk.jfr", "org.jspecify.annotations", "com.google.errorprone.annotations")
                        .anyMatch(used::startsWith);
        return !allowed;
    }
}
