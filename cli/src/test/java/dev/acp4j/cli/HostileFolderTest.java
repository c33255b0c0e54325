package dev.acp4j.cli;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A question about a stranger's folder runs nothing that lies in it. */
@Timeout(120)
@DisabledOnOs(OS.WINDOWS)
class HostileFolderTest {
    /**
     * A sparse index that names a tree nobody has, a remote whose other side is a command, and programs to be mistaken
     * for others.
     */
    private static final String CHECKOUT = """
            git init -q . && git config user.email a@example.org && git config user.name a
            mkdir -p src deep/er && echo 'class Retry {}' >src/Retry.java && echo x >deep/er/x
            git add . && git commit -q -m x && tree=$(git rev-parse HEAD:deep)
            git sparse-checkout init --cone --sparse-index && git sparse-checkout set src
            rm -f .git/objects/$(echo "$tree" | cut -c1-2)/$(echo "$tree" | cut -c3-)
            git config remote.origin.url . && git config remote.origin.promisor true
            git config remote.origin.uploadpack ": >$MARKS/fetched;false"
            git config core.fsmonitor ": >$MARKS/monitored;false"
            for name in git stty sh find; do
              printf '#!/bin/sh\\n: >%s/%s\\n' "$MARKS" $name >$name && chmod +x $name
            done
            """;

    @TempDir
    Path folder;

    @TempDir
    Path marks;

    @Test
    void aQuestionRunsNothingOfTheFolder() throws Exception {
        ProcessBuilder git = new ProcessBuilder("sh", "-ec", CHECKOUT).directory(folder.toFile());
        git.environment().put("MARKS", marks.toString());
        assertThat(git.inheritIO().start().waitFor()).isZero();
        try (var early = Files.list(marks)) {
            for (Path mark : early.toList()) {
                Files.delete(mark);
            }
        }

        AcpRun run = acp("prompt", "--permissions", "deny", "where is the class Retry?")
                .in(folder)
                .env("PATH", ".:" + System.getenv("PATH"))
                .run();

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("src/Retry.java");
        assertThat(marks).isEmptyDirectory();
    }
}
