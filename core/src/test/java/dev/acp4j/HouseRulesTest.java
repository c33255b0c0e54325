package dev.acp4j;

import static com.tngtech.archunit.core.domain.JavaModifier.ABSTRACT;
import static com.tngtech.archunit.core.domain.JavaModifier.PRIVATE;
import static com.tngtech.archunit.core.domain.JavaModifier.STATIC;
import static com.tngtech.archunit.core.domain.JavaModifier.SYNCHRONIZED;
import static com.tngtech.archunit.core.domain.JavaModifier.SYNTHETIC;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.annotation.Testable;

/** The rules of the house that no compiler checks; CONTRIBUTING.md has their reasons. */
class HouseRulesTest {
    /** Surefire runs classes with these names, and no others. */
    private static final Pattern RUNS = Pattern.compile("Test.*|.*Test|.*Tests|.*TestCase");

    private static final Pattern SAYS_NOTHING = Pattern.compile(
            "I[A-Z][a-z].*|(Abstract|Base|Default|Simple)[A-Z].*|.*(Impl|Manager|Utils?|Helper|Constants)");

    private static final Set<JavaModifier> NO_TEST = Set.of(ABSTRACT, PRIVATE, STATIC, SYNTHETIC);

    private static final List<JavaClass> CODE = classes("target/classes");
    private static final List<JavaClass> TESTS = classes("target/test-classes");

    @Test
    void nothingButReadingAndWritingRunsOnVirtualThreadsUnasked() {
        // A few handlers that compute would occupy every carrier: see docs/decisions/0014, and 0024 for transports.
        // Which threads handlers have by default, and when an agent asks for others, is shown by VirtualThreadsTest.
        var uses = CODE.stream()
                .flatMap(type -> type.getMethodCallsFromSelf().stream())
                .filter(call -> call.getTarget().getName().contains("Virtual"))
                .filter(call -> !Set.of("startCarrying", "startVirtualThread", "runHandlers")
                        .contains(call.getOrigin().getName()));

        assertThat(uses).isEmpty();
    }

    @Test
    void nothingPrintsWhereTheProtocolRuns() {
        var uses = CODE.stream()
                .flatMap(type -> type.getFieldAccessesFromSelf().stream())
                .filter(access -> access.getTarget().getFullName().equals("java.lang.System.out"));

        assertThat(uses).isEmpty();
    }

    @Test
    void noMethodIsSynchronized() {
        var locked = all().flatMap(type -> type.getMethods().stream()).filter(method -> has(method, SYNCHRONIZED));

        assertThat(locked).isEmpty();
    }

    @Test
    void nothingTakesAnOptional() {
        var takers = CODE.stream()
                .flatMap(type -> type.getCodeUnits().stream())
                .filter(unit -> !has(unit, SYNTHETIC)) // a lambda in a chain of calls may
                .filter(unit ->
                        unit.getRawParameterTypes().stream().anyMatch(type -> type.isEquivalentTo(Optional.class)));

        assertThat(takers).isEmpty();
    }

    @Test
    void namesSayWhatATypeIs() {
        var empty = all().filter(type -> !type.isAnnotation())
                .filter(type -> SAYS_NOTHING.matcher(type.getSimpleName()).matches());

        assertThat(empty).isEmpty();
    }

    @Test
    void everyClassWithTestsIsRun() {
        var forgotten = testClasses()
                .filter(type -> !has(type, ABSTRACT))
                .filter(type -> type.isTopLevelClass()
                        ? !RUNS.matcher(type.getSimpleName()).matches()
                        : !type.isAnnotatedWith(Nested.class));

        assertThat(forgotten).isEmpty();
    }

    @Test
    void everyMethodOfATestClassThatLooksLikeATestIsOne() {
        var forgotten = testClasses()
                .flatMap(type -> type.getMethods().stream())
                .filter(method -> method.getRawReturnType().isEquivalentTo(void.class))
                .filter(method -> Collections.disjoint(method.getModifiers(), NO_TEST))
                .filter(method -> method.getAnnotations().isEmpty());

        assertThat(forgotten).isEmpty();
    }

    private static Stream<JavaClass> all() {
        return Stream.concat(CODE.stream(), TESTS.stream());
    }

    private static Stream<JavaClass> testClasses() {
        return TESTS.stream().filter(type -> type.getMethods().stream().anyMatch(HouseRulesTest::isTest));
    }

    private static boolean isTest(JavaMethod method) {
        return method.isAnnotatedWith(Testable.class) || method.isMetaAnnotatedWith(Testable.class);
    }

    private static boolean has(JavaCodeUnit unit, JavaModifier modifier) {
        return unit.getModifiers().contains(modifier);
    }

    private static boolean has(JavaClass type, JavaModifier modifier) {
        return type.getModifiers().contains(modifier);
    }

    private static List<JavaClass> classes(String folder) {
        List<JavaClass> classes =
                new ClassFileImporter().importPath(Path.of(folder)).stream().toList();
        assertThat(classes).isNotEmpty();
        return classes;
    }
}
