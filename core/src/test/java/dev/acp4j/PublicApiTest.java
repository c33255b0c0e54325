package dev.acp4j;

import static com.tngtech.archunit.core.domain.JavaModifier.FINAL;
import static com.tngtech.archunit.core.domain.JavaModifier.PROTECTED;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.core.domain.JavaModifier.STATIC;
import static com.tngtech.archunit.core.domain.JavaModifier.SYNTHETIC;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.MalformedMessageException;
import dev.acp4j.rpc.RequestTimeoutException;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.WouldDeadlockException;
import dev.acp4j.schema.Codecs;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.Unstable;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What holds for the public API as a whole. */
class PublicApiTest {
    private static final Path CLASSES = Path.of("target/classes");
    private static final List<JavaClass> CORE =
            new ClassFileImporter().importPath(CLASSES).stream().toList();

    private static Stream<JavaClass> publicTypes() {
        return CORE.stream().filter(type -> type.getModifiers().contains(PUBLIC));
    }

    private static ModuleDescriptor module() throws Exception {
        try (var in = Files.newInputStream(CLASSES.resolve("module-info.class"))) {
            return ModuleDescriptor.read(in);
        }
    }

    @Test
    @Tag("API-01")
    void noSignatureHasAFutureOrAStreamOfEvents() {
        var asynchronous = publicTypes()
                .flatMap(type -> type.getMethods().stream())
                .filter(method -> method.getModifiers().contains(PUBLIC))
                .filter(method -> Stream.concat(
                                Stream.of(method.getRawReturnType()), method.getRawParameterTypes().stream())
                        .anyMatch(PublicApiTest::isAsynchronous));

        assertThat(asynchronous).isEmpty();
    }

    private static boolean isAsynchronous(JavaClass type) {
        return type.isAssignableTo(Future.class)
                || type.isAssignableTo(CompletionStage.class)
                || type.isAssignableTo(Flow.Publisher.class);
    }

    @Test
    @Tag("API-01")
    void whatWaitsCanBeInterrupted() {
        var deaf = publicTypes()
                .flatMap(type -> type.getMethods().stream())
                .filter(method -> method.getModifiers().contains(PUBLIC))
                .filter(method -> Set.of("call", "await", "awaitClosed", "prompt", "result", "text", "join")
                        .contains(method.getName()))
                .filter(method -> method.getMethodCallsFromSelf().stream()
                        .anyMatch(call -> call.getTarget().getThrowsClause().stream()
                                .anyMatch(thrown -> thrown.getRawType().isEquivalentTo(InterruptedException.class))))
                .filter(method -> method.getThrowsClause().stream()
                        .noneMatch(thrown -> thrown.getRawType().isEquivalentTo(InterruptedException.class)));

        assertThat(deaf).isEmpty();
    }

    @Test
    @Tag("API-04")
    void whatIsPublicCannotBeChangedFromOutside() {
        var open = publicTypes()
                .flatMap(type -> type.getFields().stream())
                .filter(field -> field.getModifiers().contains(PUBLIC))
                .filter(field -> !field.getModifiers().containsAll(Set.of(STATIC, FINAL)));
        var setters = publicTypes()
                .flatMap(type -> type.getMethods().stream())
                .filter(method -> method.getModifiers().contains(PUBLIC))
                .filter(method -> method.getName().matches("set[A-Z].*"))
                // These ask the peer to change something, and the codecs are called after requests that do.
                .filter(method -> !method.getOwner().isEquivalentTo(Session.class)
                        && !method.getOwner().isEquivalentTo(ConnectedAgent.class)
                        && !method.getOwner().isEquivalentTo(Codecs.class)
                        && !method.getOwner().isEquivalentTo(Agent.SetModeHandler.class));

        assertThat(open).isEmpty();
        assertThat(setters).isEmpty();
    }

    @Test
    @Tag("API-04")
    void protocolTypesAreRecordsOrHaveFinalFields() {
        var changeable = publicTypes()
                .filter(type -> type.getPackageName().equals("dev.acp4j.schema"))
                .filter(type -> !type.getSimpleName().endsWith("Builder"))
                .flatMap(type -> type.getFields().stream())
                .filter(field -> !field.getModifiers().contains(FINAL));

        assertThat(changeable).isEmpty();
    }

    /** A user sees a draft where it is mentioned. What has the components of a record as parameters goes by these. */
    @Test
    void whatMentionsADraftIsMarkedToo() {
        var drafts = publicTypes().filter(PublicApiTest::isDraft);
        var unmarked = publicTypes()
                .filter(type -> !isDraft(type))
                .flatMap(type -> type.getMembers().stream())
                .filter(member -> member.getModifiers().contains(PUBLIC)
                        || member.getModifiers().contains(PROTECTED))
                .filter(member -> !member.getModifiers().contains(SYNTHETIC))
                .filter(member -> !(member.getOwner().isRecord() && member instanceof JavaConstructor))
                .filter(member -> !member.isAnnotatedWith(Unstable.class))
                .filter(member -> member.getAllInvolvedRawTypes().stream().anyMatch(PublicApiTest::isDraft))
                .map(JavaMember::getFullName);

        assertThat(drafts).isNotEmpty();
        assertThat(unmarked).isEmpty();
    }

    private static boolean isDraft(JavaClass type) {
        return type.isAnnotatedWith(Unstable.class)
                || type.getEnclosingClass().filter(PublicApiTest::isDraft).isPresent();
    }

    /** As the description of the package {@code dev.acp4j} says. */
    @Test
    void namesOfTheWireStandInTheSchemaAlone() {
        List<JavaClass> session = topLevelTypesOf("dev.acp4j");
        var namesOfTheWire = topLevelTypesOf("dev.acp4j.schema").stream().map(JavaClass::getSimpleName);

        assertThat(session)
                .isNotEmpty()
                .noneMatch(
                        type -> type.getSimpleName().matches(".*(Request|Response|Notification|Update|Capabilities)"));
        assertThat(session.stream().map(JavaClass::getSimpleName)).doesNotContainAnyElementsOf(namesOfTheWire.toList());
    }

    private static List<JavaClass> topLevelTypesOf(String name) {
        return publicTypes()
                .filter(type -> type.getPackageName().equals(name) && type.isTopLevelClass())
                .toList();
    }

    @Test
    void theModuleExportsThesePackagesAndNoOthers() throws Exception {
        assertThat(module().exports().stream().map(ModuleDescriptor.Exports::source))
                .containsExactlyInAnyOrder(
                        "dev.acp4j",
                        "dev.acp4j.json",
                        "dev.acp4j.process",
                        "dev.acp4j.redaction",
                        "dev.acp4j.rpc",
                        "dev.acp4j.schema",
                        "dev.acp4j.schema.codec",
                        "dev.acp4j.trace");
    }

    @Test
    @Tag("API-07")
    void updatesAreSealedAndHaveAPlaceForWhatIsNotKnown() throws Exception {
        assertThat(SessionUpdate.class.isSealed()).isTrue();
        assertThat(SessionEvent.class.isSealed()).isTrue();

        CompletableFuture<SessionEvent> told = new CompletableFuture<>();
        try (RawAgent agent =
                new RawAgent(Client.builder("client", "1").onEvent((session, event) -> told.complete(event)))) {
            Session unused = agent.open();
            agent.update("new_kind", "\"a\":1");

            assertThat(told.get()).isInstanceOfSatisfying(SessionEvent.Other.class, other -> {
                assertThat(other.kind()).isEqualTo("new_kind");
                assertThat(other.update()).isEqualTo(RawJson.parse("{\"sessionUpdate\":\"new_kind\",\"a\":1}"));
            });
        }
    }

    @Test
    @Tag("API-08")
    void thereIsOneExceptionForEachThingThatGoesWrong() {
        assertThat(RpcException.class.getPermittedSubclasses())
                .containsExactlyInAnyOrder(
                        RpcError.class,
                        ConnectionClosedException.class,
                        MalformedMessageException.class,
                        RequestTimeoutException.class,
                        WouldDeadlockException.class);
        var others = publicTypes()
                .filter(type -> type.isAssignableTo(Throwable.class))
                .filter(type -> !type.isAssignableTo(RpcException.class))
                .map(JavaClass::getSimpleName);
        // What is no JSON, what transports, processes and files fail with, and what a peer lacks.
        assertThat(others)
                .containsExactlyInAnyOrder(
                        "JsonException", "MessageTooLargeException", "LaunchException", "UnsupportedException");
    }

    @Test
    @Tag("API-10")
    void theModuleNeedsTheJdkAloneAndOpensNothing() throws Exception {
        assertThat(module().requires().stream()
                        .filter(needed -> !needed.modifiers().contains(ModuleDescriptor.Requires.Modifier.STATIC))
                        .map(ModuleDescriptor.Requires::name))
                .containsExactlyInAnyOrder("java.base", "jdk.jfr");
        assertThat(module().opens()).isEmpty();
        assertThat(module().isOpen()).isFalse();
    }

    @Test
    @Tag("API-10")
    void everyExportedPackageSaysWhereNullMayBe() throws Exception {
        for (ModuleDescriptor.Exports exported : module().exports()) {
            Class<?> info = Class.forName(exported.source() + ".package-info");
            assertThat(info.isAnnotationPresent(NullMarked.class))
                    .as(exported.source())
                    .isTrue();
        }
    }

    @Test
    @Tag("API-10")
    void logsGoToTheLoggerOfTheJdk() {
        var loggers = CORE.stream()
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .map(use -> use.getTargetClass().getPackageName())
                .filter(name -> name.startsWith("java.util.logging") || name.startsWith("org.slf4j"));

        assertThat(loggers).isEmpty();
        assertThat(CORE)
                .anyMatch(type -> type.getDirectDependenciesFromSelf().stream()
                        .anyMatch(use -> use.getTargetClass().isEquivalentTo(System.Logger.class)));
    }
}
