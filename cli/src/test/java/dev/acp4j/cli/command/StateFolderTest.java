package dev.acp4j.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateFolderTest {
    @TempDir
    private Path folder;

    @Test
    @Tag("CON-24")
    void aFolderForTheUserIsMadeForNobodyElse() throws Exception {
        Path made = StateFolder.createForUser(folder.resolve("a/made"));

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
                .isEqualTo("rwx------");
        assertThat(StateFolder.createForUser(made)).isEqualTo(made).isEmptyDirectory();
    }

    @Test
    @Tag("CON-24")
    void aFolderOfSomebodyElseIsRefused() throws Exception {
        Path foreign = Files.createDirectory(
                folder.resolve("foreign"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Assumptions.assumeTrue(isGivenAway(foreign), "only root can give a folder away");

        assertThatThrownBy(() -> StateFolder.createForUser(foreign))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("others can use the folder");
    }

    private static boolean isGivenAway(Path folder) {
        try {
            Files.setOwner(
                    folder,
                    folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
