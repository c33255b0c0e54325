package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScopeTest {
    private static boolean includes(Scope scope, String name) throws InterruptedException {
        return scope.includes(new WorkspaceFile(Path.of("/w").resolve(name), name, 1, 1));
    }

    private static boolean includes(String pattern, String name) throws InterruptedException {
        return includes(Scope.of(List.of(pattern)), name);
    }

    @Test
    void aPatternWithoutASlashMayStandAtAnyDepth() throws Exception {
        assertThat(includes("*.java", "A.java")).isTrue();
        assertThat(includes("*.java", "a/b/C.java")).isTrue();
        assertThat(includes("docs", "a/docs/b.md")).isTrue();
        assertThat(includes("docs", "docs.md")).isFalse();
    }

    @Test
    void aPatternWithASlashIsAPath() throws Exception {
        assertThat(includes("src/main", "src/main/A.java")).isTrue();
        assertThat(includes("src/main/", "src/main/A.java")).isTrue();
        assertThat(includes("./src", "src/A.java")).isTrue();
        assertThat(includes("./src", "core/src/A.java")).isFalse();
        assertThat(includes("src/**/*.ts", "src/a/b.ts")).isTrue();
    }

    @Test
    void exactNamesHaveNoGlobs() throws Exception {
        Scope scope = Scope.ofNames(List.of("web/[id].tsx", "docs"));

        assertThat(includes(scope, "web/[id].tsx")).isTrue();
        assertThat(includes(scope, "web/i.tsx")).isFalse();
        assertThat(includes(scope, "docs/a.md")).isTrue();
        assertThat(includes(scope, "web/docs/a.md")).isFalse();
        assertThat(scope).hasToString("web/[id].tsx, docs");
    }

    @Test
    void noPatternMeansEverything() throws Exception {
        assertThat(Scope.of(List.of()).isEverywhere()).isTrue();
        assertThat(includes(Scope.everywhere(), "a")).isTrue();
    }

    @Test
    void aBrokenGlobIsRefused() throws Exception {
        assertThatThrownBy(() -> Scope.of(List.of("[a"))).isInstanceOf(IllegalArgumentException.class);
    }
}
