package dev.acp4j.registry;

import dev.acp4j.json.JsonValue;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes installations from pins: fetches, checks, unpacks, or lets npm and uv do it. */
final class Installer {
    /** Beside an index in a folder: archives by their digest. */
    static final String ARCHIVES = "archives";

    private final RegistrySettings settings;
    private final Store store;
    private final Downloads downloads;

    Installer(RegistrySettings settings, Store store, Downloads downloads) {
        this.settings = settings;
        this.store = store;
        this.downloads = downloads;
    }

    private Platform platform() throws RegistryException {
        return settings.platform()
                .orElseThrow(() -> new RegistryException("no agents are built for this system: "
                        + System.getProperty("os.name") + " on " + System.getProperty("os.arch")));
    }

    /** Returns the installation of a pin, as the pin starts it; null if there is none. */
    @Nullable
    Installation installed(Pin pin) throws IOException {
        Platform platform = settings.platform().orElse(Platform.LINUX_X86_64);
        String digest = pin.digest(platform);
        // Without a digest nothing says that what is here is what is meant: another lock may have chosen its tree.
        Installation found = digest == null ? null : store.find(pin.id(), pin.version(), digest);
        return found == null ? null : startedBy(found, pin);
    }

    /**
     * Returns an installation as a pin of its bytes starts it, by whatever pin it was installed: its folder is all that
     * is taken from it, and what the pin does not know of these bytes.
     *
     * @return null if the program of the pin is not in it
     */
    @Nullable
    Installation startedBy(Installation found, Pin pin) throws IOException {
        return switch (pin.distribution()) {
            case Distribution.Packaged wanted -> {
                String program = program(found, wanted);
                JsonValue tree = found.pin().tree();
                Pin complete = pin.tree() == null && tree != null ? pin.with(tree) : pin;
                yield program == null
                        ? null
                        : new Installation(found.folder(), complete, program, wanted.args(), wanted.env());
            }
            case Distribution.Binary binary -> {
                Platform best = pin.best(settings.platform().orElse(Platform.LINUX_X86_64));
                Distribution.Archive archive =
                        best == null ? null : binary.archives().get(best);
                String program = archive == null ? null : program(found, archive);
                yield best == null || archive == null || program == null
                        ? null
                        : new Installation(
                                found.folder(),
                                withSize(pin, binary, best, archive, found),
                                program,
                                archive.args(),
                                archive.env());
            }
        };
    }

    private static @Nullable String program(Installation found, Distribution.Packaged wanted) throws IOException {
        if (found.pin().distribution() instanceof Distribution.Packaged made
                && Objects.equals(made.command(), wanted.command())) {
            return found.program();
        }
        String command = wanted.command();
        if (command == null) {
            return null;
        }
        String folder = found.program().substring(0, found.program().lastIndexOf('/') + 1);
        String program = folder + EntryPath.ofCommand(command);
        boolean isThere = Stream.of("", ".cmd", ".exe")
                .anyMatch(end -> Files.exists(found.folder().resolve(program + end)));
        return isThere ? program : null;
    }

    private static @Nullable String program(Installation found, Distribution.Archive wanted) throws IOException {
        String command = wanted.command();
        if (Interpreters.isOne(command)) {
            return command;
        }
        if (found.program().equals(Installation.TREE + "/" + EntryPath.ofCommand(command))) {
            return found.program();
        }
        Path tree = found.tree();
        Path program = tree.resolve(EntryPath.ofCommand(command));
        boolean isThere = Files.isRegularFile(program)
                && Files.isExecutable(program)
                && program.toRealPath().startsWith(tree.toRealPath());
        return isThere
                ? Installation.TREE + "/" + tree.relativize(program).toString().replace('\\', '/')
                : null;
    }

    /** The size is that of the same bytes. */
    private static Pin withSize(
            Pin pin, Distribution.Binary binary, Platform best, Distribution.Archive archive, Installation found) {
        String sha256 = archive.sha256();
        if (archive.size() >= 0
                || sha256 == null
                || !(found.pin().distribution() instanceof Distribution.Binary made)) {
            return pin;
        }
        Map<Platform, Distribution.Archive> all = new TreeMap<>(binary.archives());
        made.archives().values().stream()
                .filter(each -> sha256.equals(each.sha256()))
                .findFirst()
                .ifPresent(each -> all.put(best, archive.with(sha256, each.size())));
        return pin.with(new Distribution.Binary(all));
    }

    /** Returns what the user must know of a pin. */
    List<String> notices(Pin pin) {
        List<String> notices = new ArrayList<>();
        Platform here = settings.platform().orElse(null);
        Platform best = here == null ? null : pin.best(here);
        if (best != null && best != here) {
            notices.add(pin.id() + " has no program for " + here + "; that for " + best + " is taken, which is slower");
        }
        if (best != null && settings.isMusl() && best.system().equals("linux")) {
            notices.add("this system has musl as its C library; a program for glibc may not start");
        }
        List<String> refused = Variables.refused(env(pin));
        if (!refused.isEmpty()) {
            notices.add("the entry sets " + String.join(", ", refused) + ", which would change what runs: "
                    + (refused.size() == 1 ? "it is" : "they are") + " not set");
        }
        return notices;
    }

    private Map<String, String> env(Pin pin) {
        return switch (pin.distribution()) {
            case Distribution.Packaged each -> each.env();
            case Distribution.Binary binary -> {
                Distribution.Archive archive =
                        settings.platform().map(pin::archive).orElse(null);
                yield archive == null ? Map.of() : archive.env();
            }
        };
    }

    /** Installs; the lock of the agent is held. */
    Installation install(Pin pin, Agents.Consent consent, Progress progress) throws IOException, InterruptedException {
        return switch (pin.distribution()) {
            case Distribution.Binary binary -> installBinary(pin, binary, consent, progress);
            case Distribution.Packaged wanted -> installPackage(pin, wanted, progress);
        };
    }

    private Installation installBinary(Pin pin, Distribution.Binary binary, Agents.Consent consent, Progress progress)
            throws IOException, InterruptedException {
        Platform best = pin.best(platform());
        Distribution.Archive archive = best == null ? null : binary.archives().get(best);
        if (best == null || archive == null) {
            throw new RegistryException(pin + " is pinned, but not for " + platform()
                    + ". While an index has this version: acp agents lock --all-platforms " + pin.id()
                    + ". To pin the version of the index: acp agents update " + pin.id());
        }
        return store.add(pin.id(), folder -> {
            Path file = folder.resolve("download");
            Downloads.Fetched fetched = fetch(pin, archive, consent, file, progress);
            progress.step("unpacking " + pin);
            Path tree = folder.resolve(Installation.TREE);
            Archives.unpack(file, name(archive.uri()), tree, plainName(archive), settings.limits());
            Files.delete(file);
            String program = archive.command();
            if (!Interpreters.isOne(program)) {
                Path found = Archives.program(tree, program);
                program = Installation.TREE + "/"
                        + tree.relativize(found).toString().replace('\\', '/');
            }
            Map<Platform, Distribution.Archive> all = new TreeMap<>(binary.archives());
            all.put(best, archive.with(fetched.sha256(), fetched.size()));
            Pin complete = pin.with(new Distribution.Binary(all)).verified();
            Installation.writeReceipt(folder, complete, program, archive.args(), archive.env());
            return Installation.folderName(pin.version(), fetched.sha256());
        });
    }

    private static String plainName(Distribution.Archive archive) {
        return Interpreters.isOne(archive.command()) ? name(archive.uri()) : EntryPath.ofCommand(archive.command());
    }

    static String name(URI uri) {
        String path = String.valueOf(uri.getPath());
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** Fetches an archive and checks it, before anything reads it. */
    private Downloads.Fetched fetch(
            Pin pin, Distribution.Archive archive, Agents.Consent consent, Path file, Progress progress)
            throws IOException, InterruptedException {
        String expected = archive.sha256();
        if (expected == null && consent != Agents.Consent.UNVERIFIED) {
            throw new UnverifiedException("nothing says which bytes " + pin
                    + " has: its entry has no SHA-256. Install it"
                    + " without that once, and its bytes are pinned: acp agents add --allow-unverified " + pin.id());
        }
        Path copy = expected == null ? null : copyInFolder(expected);
        Downloads.Fetched fetched;
        if (copy == null) {
            fetched = downloads.fetch(archive.uri(), file, progress);
        } else {
            Files.copy(copy, file);
            fetched = new Downloads.Fetched(Digests.of(file), Files.size(file));
        }
        if (expected != null && !expected.equals(fetched.sha256())) {
            throw new RegistryException(
                    pin + " has other bytes than it must have: expected SHA-256 " + expected + ", got "
                            + fetched.sha256() + " from " + Addresses.shown(archive.uri())
                            + ". Nothing was unpacked. The entry may be stale: the registry does not check digests");
        }
        return fetched;
    }

    /** Returns an archive beside an index in a folder; null if there is none. */
    private @Nullable Path copyInFolder(String sha256) {
        for (String source : settings.indexes()) {
            if (!IndexReader.isAddress(source)) {
                Path path = Path.of(source).toAbsolutePath();
                Path folder = Files.isDirectory(path) ? path : path.getParent();
                Path copy = folder == null ? null : folder.resolve(ARCHIVES).resolve(sha256);
                if (copy != null && Files.isRegularFile(copy)) {
                    return copy;
                }
            }
        }
        return null;
    }

    private Installation installPackage(Pin pin, Distribution.Packaged wanted, Progress progress)
            throws IOException, InterruptedException {
        boolean isNode = wanted.kind() == Distribution.Kind.NPX;
        if (isNode) {
            NodePackages.require();
        } else {
            PythonPackages.require();
        }
        return store.add(pin.id(), folder -> {
            Path tree = Files.createDirectory(folder.resolve(Installation.TREE), Folders.ofUser(folder, "rwxr-xr-x"));
            progress.step((isNode ? "npm" : "uv") + " installs " + wanted.text());
            JsonValue packages = isNode
                    ? NodePackages.install(wanted, pin.tree(), tree, settings)
                    : PythonPackages.install(wanted, pin.tree(), tree, settings);
            String program = isNode ? NodePackages.program(wanted, tree) : PythonPackages.program(wanted, tree);
            Pin complete = pin.with(packages);
            Installation.writeReceipt(folder, complete, Installation.TREE + "/" + program, wanted.args(), wanted.env());
            return Installation.folderName(pin.version(), Digests.of(Json.lines(packages)));
        });
    }

    /** Returns a pin with the digest of each archive, and with its size if that is wanted, too. */
    Pin completed(Pin pin, boolean wantsSizes, Agents.Consent consent, Progress progress)
            throws IOException, InterruptedException {
        if (!(pin.distribution() instanceof Distribution.Binary binary)) {
            return pin;
        }
        Map<Platform, Distribution.Archive> all = new TreeMap<>();
        Path work = Files.createTempDirectory("acp-lock-");
        try {
            for (Map.Entry<Platform, Distribution.Archive> each :
                    binary.archives().entrySet()) {
                Distribution.Archive archive = each.getValue();
                boolean isComplete = archive.sha256() != null && (archive.size() >= 0 || !wantsSizes);
                if (!isComplete) {
                    Path file = work.resolve(each.getKey().id());
                    Downloads.Fetched fetched = fetch(pin, archive, consent, file, progress);
                    Files.delete(file);
                    archive = archive.with(fetched.sha256(), fetched.size());
                }
                all.put(each.getKey(), archive);
            }
        } finally {
            long unused = Folders.delete(work);
        }
        return pin.with(new Distribution.Binary(all));
    }
}
