package dev.acp4j.cli.prompt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.cli.command.Deadline;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ResourceContents;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PromptInputTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void wordsAreJoined() {
        assertThat(content(read(List.of("where", "is it?"), List.of(), "")))
                .containsExactly(ContentBlock.text("where is it?"));
    }

    @Test
    void aDashStandsForStandardInput() {
        assertThat(content(read(List.of("review", "-"), List.of(), "a diff\n")))
                .containsExactly(ContentBlock.text("review"), ContentBlock.text("a diff\n"));
        assertThat(content(read(List.of("-"), List.of(), "just this"))).containsExactly(ContentBlock.text("just this"));
    }

    @Test
    void anEmptyPromptIsAMistake() {
        assertThatThrownBy(() -> read(List.of(), List.of(), ""))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("the prompt is missing");
        assertThatThrownBy(() -> read(List.of("-"), List.of(), " \n"))
                .isInstanceOf(UsageException.class)
                .hasMessage("standard input is empty");
        assertThatThrownBy(() -> read(List.of("-", "-"), List.of(), "x"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("given twice");
    }

    @Test
    void aTextFileIsEmbeddedWhereTheAgentTakesThat() throws IOException {
        Path file = Files.writeString(folder.resolve("notes.txt"), "Grüße");

        List<ContentBlock> content =
                read(List.of("sum up"), List.of(file.toString()), "").content(feature -> true);

        assertThat(content).hasSize(2);
        assertThat(content.get(1))
                .isInstanceOfSatisfying(
                        ContentBlock.Resource.class,
                        resource -> assertThat(resource.resource())
                                .isInstanceOfSatisfying(ResourceContents.Text.class, text -> {
                                    assertThat(text.text()).isEqualTo("Grüße");
                                    assertThat(text.uri())
                                            .isEqualTo(file.toUri().toString());
                                    assertThat(text.mimeType()).isEqualTo("text/plain");
                                }));
    }

    @Test
    void elseItIsLinked() throws IOException {
        Path file = Files.writeString(folder.resolve("notes.txt"), "Grüße");

        List<ContentBlock> content =
                read(List.of("sum up"), List.of(file.toString()), "").content(feature -> false);

        assertThat(content.get(1)).isInstanceOfSatisfying(ContentBlock.ResourceLink.class, link -> {
            assertThat(link.name()).isEqualTo("notes.txt");
            assertThat(link.uri()).isEqualTo(file.toUri().toString());
            assertThat(link.size()).isEqualTo(7);
        });
    }

    @Test
    void binaryAndLargeFilesAreLinked() throws IOException {
        Path binary = Files.write(folder.resolve("data.bin"), new byte[] {0, 1, (byte) 0xff});
        Path large =
                Files.write(folder.resolve("large.txt"), "x".repeat(2 << 20).getBytes(StandardCharsets.UTF_8));

        List<ContentBlock> content = read(List.of("look"), List.of(binary.toString(), large.toString()), "")
                .content(feature -> true);

        assertThat(content.subList(1, 3)).allMatch(ContentBlock.ResourceLink.class::isInstance);
    }

    @Test
    void aPictureIsSentAsOne() throws IOException {
        Path picture = Files.write(folder.resolve("p.png"), new byte[] {1, 2, 3});

        List<ContentBlock> content =
                read(List.of("look"), List.of(picture.toString()), "").content(feature -> true);

        assertThat(content.get(1)).isEqualTo(ContentBlock.image(new byte[] {1, 2, 3}, "image/png"));
    }

    @Test
    void aFileThatIsNotThereIsAMistake() {
        assertThatThrownBy(() ->
                        read(List.of("x"), List.of(folder.resolve("nothing").toString()), ""))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("there is no file ");
        assertThatThrownBy(() -> read(List.of("x"), List.of(folder.toString()), ""))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("this is a folder");
    }

    private static List<ContentBlock> content(PromptInput input) {
        return input.content(feature -> false);
    }

    private static PromptInput read(List<String> words, List<String> files, String stdin) {
        try {
            return PromptInput.read(
                    words,
                    files,
                    new ByteArrayInputStream(stdin.getBytes(StandardCharsets.UTF_8)),
                    StandardCharsets.UTF_8,
                    new Deadline(null));
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }
}
