package dev.acp4j.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is unpacked and what is not. */
@Timeout(60)
class ArchivesTest {
    private static final Limits SMALL = new Limits(
            1 << 20,
            Duration.ofSeconds(5),
            1 << 20,
            1 << 20,
            1 << 19,
            100,
            200,
            Duration.ofSeconds(5),
            2,
            Duration.ofMillis(1));

    @TempDir
    private Path folder;

    private Path unpack(byte[] archive, String name) throws IOException {
        Path work = Files.createTempDirectory(folder, "work");
        Path file = Files.write(work.resolve("download"), archive);
        Path tree = work.resolve("inside").resolve("tree");
        Files.createDirectory(work.resolve("inside"));
        Archives.unpack(file, name, tree, "agent", SMALL);
        return tree;
    }

    private static Packed good() {
        return Packed.of()
                .folder("bin")
                .program("bin/agent", "#!/bin/sh\necho hello\n")
                .file("lib/data.txt", "data")
                .link("lib/same.txt", "data.txt")
                .link("agent", "bin/agent");
    }

    @Test
    @Tag("REG-19")
    void allKindsAreDetectedByTheirBytes() throws Exception {
        for (byte[] archive : List.of(good().zip(), good().tarGz(), good().tarBz2())) {
            Path tree = unpack(archive, "agent.bin");

            assertThat(tree.resolve("lib/data.txt")).hasContent("data");
            assertThat(tree.resolve("agent")).isSymbolicLink().hasContent("#!/bin/sh\necho hello\n");
            assertThat(tree.resolve("bin/agent")).isExecutable();
        }
    }

    @Test
    @Tag("REG-19")
    void aPlainProgramIsRenamedToItsCommand() throws Exception {
        Path tree = unpack("#!/bin/sh\nexit 0\n".getBytes(StandardCharsets.UTF_8), "agent-linux-x64");

        assertThat(tree.resolve("agent")).isExecutable();
    }

    @Test
    @Tag("REG-19")
    void installersAndPagesAreRefused() {
        byte[] any = "#!/bin/sh\n".getBytes(StandardCharsets.UTF_8);
        for (String name : List.of("a.dmg", "a.pkg", "a.deb", "a.rpm", "a.msi", "a.AppImage")) {
            assertThatThrownBy(() -> unpack(any, name)).hasMessageContaining("installer");
        }
        assertThatThrownBy(() -> unpack("!<arch>\ndebian-binary".getBytes(StandardCharsets.UTF_8), "a"))
                .hasMessageContaining("installer");
        assertThatThrownBy(() -> unpack("<html>not found".getBytes(StandardCharsets.UTF_8), "a.zip"))
                .hasMessageContaining("the host has sent a page");
    }

    @Test
    @Tag("REG-22")
    void onlyPlainPermissionsSurvive() throws Exception {
        byte[] archive = Packed.of()
                .mode("setuid", 0104777, "x")
                .mode("secret", 0100600, "x")
                .mode("open", 0100666, "x")
                .tarGz();

        Path tree = unpack(archive, "a.tgz");

        assertThat(permissions(tree.resolve("setuid"))).isEqualTo("rwxr--r--");
        assertThat(permissions(tree.resolve("secret"))).isEqualTo("rw-r--r--");
        assertThat(permissions(tree.resolve("open"))).isEqualTo("rw-r--r--");
        assertThat(Files.getAttribute(tree.resolve("setuid"), "unix:mode")).isEqualTo(0100744);
    }

    private static String permissions(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    @Tag("REG-23")
    void theCommandIsAtItsPlace() throws Exception {
        Path tree = unpack(good().tarGz(), "a.tgz");

        assertThat(Archives.program(tree, "./bin/agent")).isEqualTo(tree.resolve("bin/agent"));
        assertThat(Archives.program(tree, "bin\\agent")).isEqualTo(tree.resolve("bin/agent"));
        assertThat(Archives.program(tree, "lib/data.txt")).isExecutable();
        assertThatThrownBy(() -> Archives.program(tree, "./data.txt"))
                .hasMessageContaining("there is one at lib/data.txt");
        assertThatThrownBy(() -> Archives.program(tree, "../agent")).hasMessageContaining("leads up");
    }

    /** Archives that no part of which may be written, by what is wrong with them. */
    private static Map<String, byte[]> bad() throws IOException {
        Map<String, byte[]> all = new LinkedHashMap<>();
        Map<String, String> names = new LinkedHashMap<>();
        names.put("up", "../outside");
        names.put("up in the middle", "a/../../outside");
        names.put("up that stays inside", "a/../b");
        names.put("absolute", "/tmp/outside");
        names.put("absolute twice", "//outside");
        names.put("drive", "C:/outside");
        names.put("drive without a slash", "C:outside");
        names.put("backslash", "a\\b");
        names.put("backslash up", "..\\outside");
        names.put("share", "\\\\host\\share");
        names.put("second stream", "a:stream");
        names.put("device", "con");
        names.put("device with an ending", "lib/AUX.txt");
        names.put("numbered device", "lpt1");
        names.put("dot at the end", "a.");
        names.put("space at the end", "a ");
        names.put("control character", "a\u0001b");
        names.put("line end", "a\nb");
        names.put("escape", "a\u001b[2Jb");
        names.put("wildcard", "a*b");
        names.put("question mark", "a?b");
        names.put("pipe sign", "a|b");
        names.put("quote", "a\"b");
        names.put("long name", "x".repeat(190) + "/" + "y".repeat(20));
        for (Map.Entry<String, String> name : names.entrySet()) {
            all.put(
                    name.getKey() + " in tar",
                    Packed.of().file("good", "x").file(name.getValue(), "x").tarGz());
            // The library would write slashes instead.
            byte[] zip = Packed.of()
                    .file("good", "x")
                    .file(name.getValue().replace('\\', '~'), "x")
                    .zip();
            all.put(
                    name.getKey() + " in zip",
                    new String(zip, StandardCharsets.ISO_8859_1)
                            .replace('~', '\\')
                            .getBytes(StandardCharsets.ISO_8859_1));
        }
        all.put("equal names", Packed.of().file("a", "1").file("a", "2").tarGz());
        all.put("equal names in zip", Packed.of().file("a", "1").file("a", "2").zip());
        all.put("equal but for case", Packed.of().file("a", "1").file("A", "2").tarGz());
        all.put(
                "folders equal but for case",
                Packed.of().file("a/x", "1").file("A/y", "2").zip());
        all.put(
                "equal but for composition",
                Packed.of().file("e\u0301", "1").file("\u00e9", "2").tarGz());
        all.put("file and folder", Packed.of().file("a", "1").file("a/b", "2").tarGz());
        all.put("folder and file", Packed.of().file("a/b", "1").file("a", "2").tarGz());
        all.put("link out", Packed.of().link("a", "../outside").tarGz());
        all.put("link out in zip", Packed.of().link("a", "../outside").zip());
        all.put("absolute link", Packed.of().link("a", "/etc/passwd").tarGz());
        all.put("link to nothing", Packed.of().link("a", "missing").tarGz());
        all.put("link to itself", Packed.of().link("a", "a").tarGz());
        all.put("links in a circle", Packed.of().link("a", "b").link("b", "a").tarGz());
        all.put(
                "file through a link",
                Packed.of().folder("d").link("a", "d").file("a/x", "1").tarGz());
        all.put(
                "file before its link",
                Packed.of().file("a/x", "1").link("a", "a").tarGz());
        all.put(
                "link over a file",
                Packed.of().file("a", "1").link("a", "b").file("b", "2").tarGz());
        all.put(
                "link out by links",
                Packed.of()
                        .file("s/x", "1")
                        .link("s/l", "..")
                        .link("e", "s/l/../../download")
                        .tarGz());
        all.put("backslash in a link", Packed.of().link("a", "..\\b").tarGz());
        all.put(
                "hard link",
                Packed.of()
                        .file("a", "1")
                        .type("b", TarArchiveEntry.LF_LINK, "a")
                        .tarGz());
        all.put(
                "hard link out",
                Packed.of().type("b", TarArchiveEntry.LF_LINK, "/etc/passwd").tarGz());
        all.put("pipe", Packed.of().type("b", TarArchiveEntry.LF_FIFO, "").tarGz());
        all.put(
                "character device",
                Packed.of().type("b", TarArchiveEntry.LF_CHR, "").tarGz());
        all.put(
                "block device",
                Packed.of().type("b", TarArchiveEntry.LF_BLK, "").tarGz());
        all.put("device in zip", Packed.of().mode("b", 0060644, "x").zip());
        all.put("nothing", Packed.of().tarGz());
        byte[] whole = good().tarGz();
        all.put("cut", java.util.Arrays.copyOf(whole, whole.length / 2));
        byte[] zip = good().zip();
        all.put("cut zip", java.util.Arrays.copyOf(zip, zip.length / 2));
        all.put("zip whose names disagree", replaced(zip, "lib/data.txt", "lib/date.txt"));
        all.put(
                "zip whose content disagrees",
                replaced(Packed.of().mode("a", 0100644, "").file("b", "x").zip(), "b", "c"));
        all.put("more than one file may have", bomb(600_000, 1));
        all.put("more than all may have", bomb(400_000, 3));
        all.put("many entries", many(150));
        all.put("gzip of something else", gzip("hello".repeat(500)));
        return all;
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    /** Replaces the first occurrence only: in a zip, that is the local header. */
    private static byte[] replaced(byte[] bytes, String what, String by) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int at = text.indexOf(what);
        return (text.substring(0, at) + by + text.substring(at + what.length())).getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] bomb(int size, int files) throws IOException {
        Packed packed = Packed.of();
        for (int i = 0; i < files; i++) {
            packed.file("zeros" + i, "0".repeat(size));
        }
        return packed.zip();
    }

    private static byte[] many(int count) throws IOException {
        Packed packed = Packed.of();
        for (int i = 0; i < count; i++) {
            packed.file("f" + i, "");
        }
        return packed.tarGz();
    }

    @Test
    @Tag("REG-21")
    void aNameThatDoesNotEndIsNotReadToItsEnd() throws Exception {
        Packed archive = Packed.of().longName("z".repeat(3 << 20)).file("good", "x");
        for (byte[] bytes : List.of(archive.tarGz(), archive.tarBz2())) {
            Path file = Files.write(folder.resolve("download"), bytes);
            assertThatThrownBy(() -> Archives.unpack(
                            file,
                            "agent.archive",
                            Files.createTempDirectory(folder, "long").resolve("tree"),
                            "agent",
                            SMALL))
                    .isInstanceOf(RegistryException.class)
                    .hasMessageContaining("bytes of headers at one entry");
        }
    }

    @TestFactory
    @Tag("REG-20")
    @Tag("REG-21")
    Stream<DynamicTest> badArchivesWriteNothingOutside() throws Exception {
        Map<String, byte[]> all = bad();
        assertThat(all).hasSizeGreaterThan(70);
        return all.entrySet().stream()
                .map(each -> DynamicTest.dynamicTest(each.getKey(), () -> {
                    Path before = Files.createTempDirectory(folder, "bad");
                    Path file = Files.write(before.resolve("download"), each.getValue());
                    Path inside = Files.createDirectory(before.resolve("inside"));

                    assertThatThrownBy(() ->
                                    Archives.unpack(file, "agent.archive", inside.resolve("tree"), "agent", SMALL))
                            .isInstanceOf(RegistryException.class);

                    try (Stream<Path> left = Files.list(before)) {
                        assertThat(left).containsExactlyInAnyOrder(file, inside);
                    }
                    try (Stream<Path> left = Files.list(inside)) {
                        assertThat(left).containsExactly(inside.resolve("tree"));
                    }
                    long bytes = Folders.delete(inside);
                    assertThat(bytes).isLessThan(SMALL.total() + SMALL.file());
                    assertThat(file).hasBinaryContent(each.getValue());
                }));
    }
}
