package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkspaceSummaryTest {
    @TempDir
    Path folder;

    @Test
    void aWorkspaceIsToldInFigures() throws Exception {
        TestWorkspace shop = TestWorkspace.shop(folder);

        WorkspaceSummary summary = WorkspaceSummary.of(shop.files());

        assertThat(summary.about()).startsWith("A small web shop: a Java server");
        assertThat(summary.languages().getFirst().language().name()).isEqualTo("Java");
        assertThat(summary.languages().getFirst().files()).isEqualTo(14);
        assertThat(summary.folders()).containsEntry("web", 3).containsEntry("docs", 2);
        assertThat(summary.testFiles()).isEqualTo(2);
        assertThat(summary.largest().getFirst().file().fileName()).isEqualTo("HttpClient.java");
        assertThat(summary.notes())
                .extracting(Note::text)
                .containsExactlyInAnyOrder("FIXME: use the real network", "TODO: show a spinner while a request runs");
        assertThat(summary.noteCount()).isEqualTo(2);
    }

    @Test
    void theBuildToolIsKnownByItsFile() {
        new TestWorkspace(folder)
                .file("pom.xml", "<project/>")
                .file("package.json", "{}")
                .file("yarn.lock", "");

        assertThat(BuildTool.in(folder)).extracting(BuildTool::testCommand).containsExactly("mvn -q test", "yarn test");
    }

    @Test
    void aWrapperOfTheProjectIsUsed() throws Exception {
        TestWorkspace workspace = new TestWorkspace(folder)
                .file("build.gradle.kts", "")
                .file("settings.gradle.kts", "")
                .file("gradlew", "#!/bin/sh\n");
        assertThat(workspace.path("gradlew").toFile().setExecutable(true)).isTrue();

        assertThat(BuildTool.in(folder))
                .extracting(BuildTool::name, BuildTool::testCommand)
                .containsExactly(tuple("Gradle", "./gradlew test"));
    }

    @Test
    void notesAreThoseInComments() {
        assertThat(Note.in("    // TODO(kim): later */", "A.java", 3))
                .isEqualTo(new Note("A.java", 3, "TODO(kim): later"));
        assertThat(Note.in("# FIXME this", "a.py", 1)).isNotNull();
        assertThat(Note.in("print(\"// TODO no\")", "A.java", 1)).isNull();
        assertThat(Note.in("String s = x.TODO;", "A.java", 1)).isNull();
        assertThat(Note.in("the TODOLIST", "a.md", 1)).isNull();
    }

    @Test
    void anEmptyFolderHasAnEmptySummary() throws Exception {
        WorkspaceSummary summary = WorkspaceSummary.of(new WorkspaceFiles(List.of(folder)));

        assertThat(summary.listing().files()).isEmpty();
        assertThat(summary.languages()).isEmpty();
    }

    @Test
    void summingUpStopsWhenInterrupted() throws Exception {
        TestWorkspace shop = TestWorkspace.shop(folder);

        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> WorkspaceSummary.of(shop.files())).isInstanceOf(InterruptedException.class);
    }
}
