package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.CanBeAnnotated;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What each published module offers, as a text file under review: a change of the surface shows in the difference.
 * After an intended change, {@code mvn test -pl it -am -Dtest=PublicSurfaceTest -Dsurefire.failIfNoSpecifiedTests=false
 * -Dapi.write=true} writes the files again. The modules {@code cli} and {@code codegen} export nothing.
 */
class PublicSurfaceTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final String UNSTABLE = "dev.acp4j.schema.Unstable";

    /** What every class has. */
    private static final Set<String> OF_OBJECT = Set.of("toString()", "hashCode()", "equals(java.lang.Object)");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "core",
                "testkit",
                "workspace",
                "nes",
                "sessions",
                "http",
                "registry",
                "mcp",
                "lsp",
                "proxy",
                "proxy-testkit",
                "proxies",
                "agent"
            })
    void isTheOneUnderReview(String module) throws Exception {
        Path file = ROOT.resolve("api").resolve(module + ".txt");
        String surface = new Surface(ROOT.resolve(module).resolve("target/classes")).text();
        if (Boolean.getBoolean("api.write")) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, surface);
        }

        List<String> reviewed = Files.isRegularFile(file) ? Files.readAllLines(file) : List.of();
        assertThat(surface.lines())
                .as(
                        "the public surface of %s differs from api/%s.txt: if that is intended, write the file again with"
                                + " mvn test -pl it -am -Dtest=PublicSurfaceTest"
                                + " -Dsurefire.failIfNoSpecifiedTests=false -Dapi.write=true",
                        module, module)
                .containsExactlyElementsOf(reviewed);
    }

    /** The exported packages of one module. */
    private static final class Surface {
        private final Path classes;
        private final JavaClasses imported;
        private final Set<String> lines = new TreeSet<>();

        Surface(Path classes) {
            this.classes = classes;
            this.imported = new ClassFileImporter().importPath(classes);
        }

        String text() throws Exception {
            for (String name : exported()) {
                try (Stream<Path> files = Files.list(classes.resolve(name.replace('.', '/')))) {
                    for (Path file : files.toList()) {
                        String simple = file.getFileName().toString();
                        if (simple.endsWith(".class") && !simple.equals("package-info.class")) {
                            String type = name + "." + simple.substring(0, simple.length() - ".class".length());
                            JavaClass found = imported.get(type);
                            // Some that are not public are not in the jar.
                            if (!found.isTopLevelClass() || found.getModifiers().contains(JavaModifier.PUBLIC)) {
                                describe(Class.forName(type, false, PublicSurfaceTest.class.getClassLoader()));
                            }
                        }
                    }
                }
            }
            return String.join("\n", lines) + "\n";
        }

        private List<String> exported() throws IOException {
            try (InputStream in = Files.newInputStream(classes.resolve("module-info.class"))) {
                return ModuleDescriptor.read(in).exports().stream()
                        .filter(exports -> !exports.isQualified())
                        .map(ModuleDescriptor.Exports::source)
                        .sorted()
                        .toList();
            }
        }

        private void describe(Class<?> type) {
            if (!isOffered(type)) {
                return;
            }
            String name = type.getName();
            JavaClass marks = imported.get(name);
            lines.add(name + " " + mark(marks) + kind(type) + parents(type));
            for (Constructor<?> constructor : type.getDeclaredConstructors()) {
                if (isOffered(constructor)) {
                    lines.add(name + " " + mark(marks.getConstructor(constructor.getParameterTypes())) + "new("
                            + types(constructor.getParameterTypes()) + ")" + thrown(constructor.getExceptionTypes()));
                }
            }
            for (Method method : type.getDeclaredMethods()) {
                String signature = method.getName() + "(" + types(method.getParameterTypes()) + ")";
                if (isOffered(method) && !OF_OBJECT.contains(signature)) {
                    lines.add(name + " " + mark(marks.getMethod(method.getName(), method.getParameterTypes()))
                            + (Modifier.isStatic(method.getModifiers()) ? "static " : "") + signature + " "
                            + method.getGenericReturnType().getTypeName() + thrown(method.getExceptionTypes()));
                }
            }
            for (Field field : type.getDeclaredFields()) {
                if (isOffered(field)) {
                    lines.add(name + " " + mark(marks.getField(field.getName())) + field.getName() + " "
                            + field.getGenericType().getTypeName());
                }
            }
        }

        private static String mark(CanBeAnnotated marked) {
            return marked.isAnnotatedWith(UNSTABLE) ? "@Unstable " : "";
        }

        private static boolean isOffered(Class<?> type) {
            for (Class<?> at = type; at != null; at = at.getDeclaringClass()) {
                if (!Modifier.isPublic(at.getModifiers()) && !Modifier.isProtected(at.getModifiers())) {
                    return false;
                }
            }
            return !type.isAnonymousClass() && !type.isLocalClass();
        }

        private static boolean isOffered(Member member) {
            return !member.isSynthetic()
                    && (Modifier.isPublic(member.getModifiers()) || Modifier.isProtected(member.getModifiers()));
        }

        private static String kind(Class<?> type) {
            String kind = type.isAnnotation()
                    ? "annotation"
                    : type.isInterface() ? "interface" : type.isRecord() ? "record" : type.isEnum() ? "enum" : "class";
            String open = Modifier.isAbstract(type.getModifiers()) && kind.equals("class") ? "abstract " : "";
            return (type.isSealed() ? "sealed " : open) + kind;
        }

        private static String parents(Class<?> type) {
            String names = Stream.concat(Stream.ofNullable(type.getSuperclass()), Arrays.stream(type.getInterfaces()))
                    .filter(parent -> parent != Object.class && parent != Record.class && parent != Enum.class)
                    .map(Class::getName)
                    .collect(Collectors.joining(", "));
            return names.isEmpty() ? "" : " : " + names;
        }

        private static String types(Class<?>[] types) {
            return Arrays.stream(types).map(Class::getTypeName).collect(Collectors.joining(", "));
        }

        private static String thrown(Class<?>[] types) {
            return types.length == 0 ? "" : " throws " + types(types);
        }
    }
}
