package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class FileChangeTest {
    @Test
    void aChangeReadsAsAUnifiedDiff() throws Exception {
        WorkspaceFile file = new WorkspaceFile(Path.of("/w/a.txt"), "a.txt", 1, 1);

        FileChange change = new FileChange(file, "1\n2\n3\n4\n5\n", "1\n2\n3\nfour\n5\n", 1);

        assertThat(change.unifiedDiff(20))
                .containsExactly("--- a/a.txt", "+++ b/a.txt", "@@ -2,4 +2,4 @@", " 2", " 3", "-4", "+four", " 5");
        assertThat(change.firstLine()).isEqualTo(4);
    }

    @Test
    void aDiffShowsLineEnds() throws Exception {
        WorkspaceFile file = new WorkspaceFile(Path.of("/w/a.txt"), "a.txt", 1, 1);

        FileChange ended = new FileChange(file, "1\n2", "1\n2\n", 1);
        FileChange unix = new FileChange(file, "1\r\n2\r\n", "1\n2\n", 2);
        FileChange windows = new FileChange(file, "1\r\n2\r\n", "1\r\n3\r\n", 1);

        assertThat(String.join("\n", Objects.requireNonNull(ended.unifiedDiff(20))))
                .endsWith(" 1\n-2\n\\ No newline at end of file\n+2");
        assertThat(ended.firstLine()).isEqualTo(2);
        assertThat(unix.unifiedDiff(20)).endsWith("-1␍", "-2␍", "+1", "+2");
        assertThat(windows.unifiedDiff(20)).endsWith(" 1", "-2", "+3");
    }

    @Test
    @Timeout(60)
    void aChangeOfEveryLineOfALongFileIsNoDiffToRead() throws Exception {
        WorkspaceFile file = new WorkspaceFile(Path.of("/w/a.txt"), "a.txt", 1, 1);

        FileChange all = new FileChange(file, "a\n".repeat(500_000), "b\n".repeat(500_000), 500_000);
        FileChange far = new FileChange(file, "x\n" + "a\n".repeat(500_000), "y\n" + "a\n".repeat(500_000) + "b\n", 2);

        assertThat(all.unifiedDiff(120)).isNull();
        assertThat(all.firstLine()).isEqualTo(1);
        assertThat(far.unifiedDiff(120)).contains("-x", "+y", "+b");
        assertThat(far.unifiedDiff(8)).isNull();
    }

    @Test
    void whitespaceIsPutInOrder() {
        assertThat(Whitespace.tidy("a  \nb\t\n\nc", false)).isEqualTo(new Replacement.Replaced("a\nb\n\nc\n", 3));
        assertThat(Whitespace.tidy("a \r\nb", false)).isEqualTo(new Replacement.Replaced("a\r\nb\r\n", 2));
        assertThat(Whitespace.tidy("a  \nb \n", true)).isEqualTo(new Replacement.Replaced("a  \nb\n", 1));
        assertThat(Whitespace.tidy("", false)).isEqualTo(new Replacement.Replaced("", 0));
        assertThat(Whitespace.tidy("a\n", false)).isEqualTo(new Replacement.Replaced("a\n", 0));
    }

    @Test
    void bytesThatWereNotMeantStayAsTheyAre() throws Exception {
        byte[] utf8 = "\uFEFFgrün\r\n".getBytes(StandardCharsets.UTF_8);
        byte[] latin = "gr\u00fcn\n".getBytes(StandardCharsets.ISO_8859_1);
        byte[] utf16 = "\uFEFFgrün\n".getBytes(StandardCharsets.UTF_16LE);

        for (byte[] bytes : new byte[][] {utf8, latin, utf16}) {
            TextFile file = Objects.requireNonNull(TextFile.of(bytes));
            assertThat(file.encode(file.text())).isEqualTo(bytes);
            assertThat(file.text()).contains("grün");
        }
    }

    @Test
    void aCharacterThatTheEncodingLacksIsAnErrorNotAQuestionMark() {
        byte[] latin = "gr\u00fcn\n".getBytes(StandardCharsets.ISO_8859_1);
        TextFile file = Objects.requireNonNull(TextFile.of(latin));

        assertThatThrownBy(() -> file.encode("grün €")).isInstanceOf(CharacterCodingException.class);
    }

    @Test
    void bytesWithZerosAreNoText() {
        assertThat(TextFile.of(ByteBuffer.allocate(10).array())).isNull();
    }
}
