package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every item of the checklist has an answer, and the page that shows them is right. */
class ChecklistTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path PAGE = ROOT.resolve("docs/checklist.md");

    private static Checklist checklist;

    @BeforeAll
    static void read() throws IOException {
        checklist = Checklist.of(ROOT);
    }

    @Test
    void noItemIsWithoutAnAnswer() {
        assertThat(Checklist.AREAS)
                .allSatisfy(area -> assertThat(checklist.gaps(area)).isEmpty());
    }

    @Test
    void everyTagIsAnItem() {
        assertThat(checklist.unknown()).isEmpty();
    }

    @Test
    void thePageIsUpToDate() throws IOException {
        if (Boolean.getBoolean("checklist.write")) {
            Files.writeString(PAGE, checklist.page());
        }

        assertThat(PAGE)
                .as(
                        "make the page with: mvn verify -pl it -am -Dtest=ChecklistTest -Dsurefire.failIfNoSpecifiedTests=false"
                                + " -Dchecklist.write=true")
                .hasContent(checklist.page());
    }
}
