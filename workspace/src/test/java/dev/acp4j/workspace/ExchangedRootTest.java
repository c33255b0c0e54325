package dev.acp4j.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Somebody who may rename the root itself puts something else in its place while a request is served. */
@ParameterizedClass
@EnumSource(Way.class)
@Tag("CBK-15")
@Tag("SEC-05")
@Timeout(60)
@DisabledOnOs(OS.WINDOWS)
class ExchangedRootTest {
    private static final String[] NAMES = {"a.txt", "new.txt", "new/new.txt"};

    private final Way way;

    @TempDir
    Path temp;

    private Path root;
    private Path aside;
    private Path outside;

    ExchangedRootTest(Way way) {
        this.way = way;
    }

    @BeforeEach
    void create() throws IOException {
        root = Files.createDirectory(temp.resolve("root"));
        Files.writeString(root.resolve("a.txt"), "inside");
        outside = Files.createDirectory(temp.resolve("outside"));
        Files.writeString(outside.resolve("a.txt"), "secret");
        aside = temp.resolve("aside");
    }

    private void exchangeForALink() throws IOException {
        if (!Files.exists(aside)) {
            Files.move(root, aside);
            Files.createSymbolicLink(root, outside);
        }
    }

    private void putBack() throws IOException {
        if (Files.exists(aside)) {
            Files.delete(root);
            Files.move(aside, root);
        }
    }

    @AfterEach
    void outsideIsAsItWas() {
        assertThat(outside.toFile().list()).containsExactly("a.txt");
        assertThat(outside.resolve("a.txt")).hasContent("secret");
    }

    @Test
    void rootExchangedForALinkAfterTheCheckIsRefused() throws Exception {
        Workspace workspace = way.workspaceThatIsChanged(root, this::exchangeForALink);

        for (String name : NAMES) {
            assertThatExceptionOfType(WorkspaceException.OutsideRoots.class)
                    .isThrownBy(() -> workspace.writeText(root.resolve(name), "overwritten"));
            putBack();
        }
        assertThatExceptionOfType(WorkspaceException.OutsideRoots.class)
                .isThrownBy(() -> workspace.readText(root.resolve("a.txt")));
    }

    @Test
    void rootThatIsALinkOnlyWhileItIsOpenedIsRefused() throws Exception {
        Workspace workspace = way.workspace(root, real -> {
            exchangeForALink();
            try {
                return way.open(real);
            } finally {
                putBack();
            }
        });
        assumeThat(way).isNotEqualTo(Way.CHECKED);

        for (String name : NAMES) {
            assertThatExceptionOfType(WorkspaceException.Failed.class)
                    .isThrownBy(() -> workspace.writeText(root.resolve(name), "overwritten"));
        }
        assertThatExceptionOfType(WorkspaceException.Failed.class)
                .isThrownBy(() -> workspace.readText(root.resolve("a.txt")));
    }

    @Test
    void anotherFolderInTheRootsPlaceIsRefused() throws Exception {
        Workspace workspace = Workspace.of(root);
        Files.move(root, aside);
        Files.createDirectory(root);
        Path file = Files.writeString(root.resolve("a.txt"), "another");

        assertThatExceptionOfType(WorkspaceException.Failed.class)
                .isThrownBy(() -> workspace.readText(file))
                .withMessage("cannot read " + file + ": " + root + " has been replaced by another folder");
        assertThatExceptionOfType(WorkspaceException.Failed.class)
                .isThrownBy(() -> workspace.writeText(root.resolve("new/new.txt"), "x"));
        assertThat(root.toFile().list()).containsExactly("a.txt");
    }

    @Test
    void nothingIsCreatedOutsideWhenTheRootIsExchangedWhileItIsHeld() throws Exception {
        Workspace workspace = way.workspace(root, real -> {
            Folder opened = way.open(real);
            exchangeForALink();
            return opened;
        });

        for (String name : NAMES) {
            try {
                workspace.writeText(root.resolve(name), "inside");
                assertThat(aside.resolve(name)).hasContent("inside");
            } catch (WorkspaceException e) {
                assertThat(way).isNotEqualTo(Way.HELD);
            }
            outsideIsAsItWas();
            putBack();
        }
    }
}
