package dev.acp4j.registry;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A system and a processor that binaries are built for. */
public enum Platform {
    DARWIN_AARCH64("darwin-aarch64"),
    DARWIN_X86_64("darwin-x86_64"),
    LINUX_AARCH64("linux-aarch64"),
    LINUX_X86_64("linux-x86_64"),
    WINDOWS_AARCH64("windows-aarch64"),
    WINDOWS_X86_64("windows-x86_64");

    private final String id;

    Platform(String id) {
        this.id = id;
    }

    /** Returns the name in entries, such as {@code linux-x86_64}. */
    public String id() {
        return id;
    }

    /** Returns the system: {@code darwin}, {@code linux} or {@code windows}. */
    public String system() {
        return id.substring(0, id.indexOf('-'));
    }

    boolean isWindows() {
        return system().equals("windows");
    }

    /** Returns the platform with this name; empty if there is none. */
    public static Optional<Platform> named(String id) {
        for (Platform platform : values()) {
            if (platform.id.equals(id)) {
                return Optional.of(platform);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the platform for the names that a JVM or a system uses.
     *
     * @param system such as {@code Mac OS X}, {@code Darwin}, {@code Linux} or {@code Windows 11}
     * @param processor such as {@code amd64}, {@code x86_64}, {@code arm64} or {@code aarch64}
     * @return the platform; empty if no agent is built for it
     */
    public static Optional<Platform> of(String system, String processor) {
        String os = system.toLowerCase(Locale.ROOT);
        String cpu = processor.toLowerCase(Locale.ROOT);
        String name = os.startsWith("mac") || os.startsWith("darwin")
                ? "darwin"
                : os.startsWith("win") ? "windows" : os.startsWith("linux") ? "linux" : "";
        String architecture = switch (cpu) {
            case "amd64", "x86_64", "x86-64", "x64", "em64t", "ia32e" -> "x86_64";
            case "arm64", "aarch64", "armv8", "arm64e" -> "aarch64";
            default -> "";
        };
        return named(name + "-" + architecture);
    }

    /** Returns the platform of this machine; empty if no agent is built for it. */
    public static Optional<Platform> here() {
        return of(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
    }

    /** Returns the platforms whose binaries run here, the best first: macOS and Windows on ARM run those of x86-64. */
    public List<Platform> runnable() {
        return switch (this) {
            case DARWIN_AARCH64 -> List.of(this, DARWIN_X86_64);
            case WINDOWS_AARCH64 -> List.of(this, WINDOWS_X86_64);
            default -> List.of(this);
        };
    }

    /** Returns whether a Linux system has musl as its C library, for which many binaries are not built. */
    static boolean hasMusl(Path root) {
        Path lib = root.resolve("lib");
        for (String processor : List.of("x86_64", "aarch64")) {
            if (Files.exists(lib.resolve("ld-musl-" + processor + ".so.1"))) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return id;
    }
}
