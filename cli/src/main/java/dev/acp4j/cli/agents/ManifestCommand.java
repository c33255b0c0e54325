package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.CommandFailedException;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.registry.Distribution;
import dev.acp4j.registry.EntryCheck;
import dev.acp4j.registry.Manifest;
import dev.acp4j.registry.Platform;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code acp agents manifest}. */
@Command(
        name = "manifest",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = {
            "Writes the entry of an agent of your own, ID/agent.json and ID/icon.svg, for a registry.",
            "",
            "Archives that are files here get their digest, and the address that --base puts before their name. "
                    + "'acp agents validate ID' judges the entry."
        },
        footerHeading = "%nExample:%n",
        footer = {
            "  acp agents manifest --id my-agent --name \"My Agent\" --release 1.2.0 --description \"Writes tests.\" \\",
            "    --base https://github.com/me/my-agent/releases/download/v1.2.0/ \\",
            "    --binary linux-x86_64=dist/my-agent-linux.tar.gz --binary darwin-aarch64=dist/my-agent-mac.tar.gz \\",
            "    --binary windows-x86_64=dist/my-agent.zip --cmd ./my-agent --arg --acp --icon icon.svg"
        })
final class ManifestCommand implements Callable<Integer> {
    private final Streams streams;

    @Option(
            names = "--id",
            required = true,
            paramLabel = "ID",
            description = "The id: lower-case letters, digits, hyphens.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String id;

    @Option(names = "--name", required = true, paramLabel = "NAME", description = "The name for people.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String name;

    @Option(names = "--release", required = true, paramLabel = "VERSION", description = "The version, x.y.z.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String release;

    @Option(names = "--description", required = true, paramLabel = "TEXT", description = "What it is, in a sentence.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String description;

    @Option(names = "--repository", paramLabel = "URL", description = "The address of its source code.")
    private @Nullable String repository;

    @Option(names = "--website", paramLabel = "URL", description = "The address of its website.")
    private @Nullable String website;

    @Option(names = "--license", paramLabel = "LICENSE", description = "Its SPDX identifier, or proprietary.")
    private @Nullable String license;

    @Option(names = "--author", paramLabel = "NAME", description = "An author; repeatable.")
    private List<String> authors = new ArrayList<>();

    @Option(
            names = "--binary",
            paramLabel = "PLATFORM=ARCHIVE",
            description = "The archive for a platform, a file or an address; repeatable.")
    private Map<String, String> binaries = new LinkedHashMap<>();

    @Option(names = "--base", paramLabel = "URL", description = "Where archives that are files here will be.")
    private @Nullable String base;

    @Option(names = "--cmd", paramLabel = "PATH", description = "The program in the archives, such as ./my-agent.")
    private @Nullable String command;

    @Option(names = "--windows-cmd", paramLabel = "PATH", description = "The program in the archives for Windows.")
    private @Nullable String windowsCommand;

    @Option(names = "--arg", paramLabel = "ARGUMENT", description = "An argument of the program; repeatable.")
    private List<String> args = new ArrayList<>();

    @Option(names = "--npx", paramLabel = "PACKAGE@VERSION", description = "A package of npm.")
    private @Nullable String npx;

    @Option(names = "--uvx", paramLabel = "PACKAGE==VERSION", description = "A package of Python.")
    private @Nullable String uvx;

    @Option(names = "--icon", paramLabel = "FILE", description = "The icon, an SVG of 16 by 16 in currentColor.")
    private @Nullable Path icon;

    @Option(names = "--output", paramLabel = "FOLDER", description = "Write ID into this folder; default: this one.")
    private Path output = Path.of("");

    ManifestCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() {
        try {
            Path entry = manifest().write(output);
            streams.out().println(SafeText.line(entry.resolve("agent.json").toString()));
            boolean isGood = true;
            for (EntryCheck.Finding finding : EntryCheck.files(entry)) {
                RegistryOptions.say(streams, finding.rule() + ": " + finding.text());
                isGood &= finding.severity() != EntryCheck.Severity.ERROR;
            }
            return (isGood ? ExitCode.END_OF_TURN : ExitCode.PROBLEMS_FOUND).number();
        } catch (IllegalArgumentException e) {
            throw new UsageException(SafeText.line(String.valueOf(e.getMessage())));
        } catch (IOException e) {
            throw new CommandFailedException(Failure.agent(SafeText.line(IoProblem.text(e))));
        }
    }

    private Manifest manifest() throws IOException {
        Manifest manifest = Manifest.of(id, name, release, description);
        manifest = repository == null ? manifest : manifest.text("repository", repository);
        manifest = website == null ? manifest : manifest.text("website", website);
        manifest = license == null ? manifest : manifest.text("license", license);
        manifest = authors.isEmpty() ? manifest : manifest.authors(authors);
        manifest = icon == null ? manifest : manifest.icon(icon);
        for (Map.Entry<String, String> binary : binaries.entrySet()) {
            Platform platform = Platform.named(binary.getKey())
                    .orElseThrow(() -> new UsageException("there is no platform " + SafeText.line(binary.getKey())));
            manifest = binary(manifest, platform, binary.getValue());
        }
        manifest = npx == null ? manifest : manifest.pack(Distribution.Kind.NPX, npx, args);
        return uvx == null ? manifest : manifest.pack(Distribution.Kind.UVX, uvx, args);
    }

    private Manifest binary(Manifest manifest, Platform platform, String archive) throws IOException {
        String program = platform.system().equals("windows") && windowsCommand != null ? windowsCommand : command;
        if (program == null) {
            throw new UsageException("--binary needs the program in the archives: --cmd PATH");
        }
        if (archive.contains("://")) {
            return manifest.binary(platform, URI.create(archive), null, program, args);
        }
        Path file = Path.of(archive);
        if (!Files.isRegularFile(file)) {
            throw new UsageException("there is no file " + SafeText.line(archive));
        }
        if (base == null) {
            throw new UsageException("archives that are files need the address where they will be: --base URL");
        }
        URI address = URI.create((base.endsWith("/") ? base : base + "/") + file.getFileName());
        return manifest.binary(platform, address, file, program, args);
    }
}
