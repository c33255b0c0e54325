package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.registry.Installation;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code acp agents verify}. */
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description =
                "Compares the files of installed agents with their receipts, and names what was changed, added or "
                        + "deleted, and folders without a receipt that can be read. Exits with 7 if there is anything.")
final class VerifyCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    private final RegistryOptions options = new RegistryOptions();

    @Parameters(index = "0", arity = "0..1", paramLabel = "NAME", description = "The agent; default: all.")
    private @Nullable String name;

    VerifyCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        return options.with(agents -> {
            String id = name == null ? null : agents.knownId(name);
            ExitCode code = ExitCode.END_OF_TURN;
            boolean isNothing = true;
            for (Installation installation : agents.installations()) {
                if (id == null || installation.id().equals(id)) {
                    isNothing = false;
                    List<String> changes = installation.verify();
                    print(installation, changes);
                    code = changes.isEmpty() ? code : ExitCode.PROBLEMS_FOUND;
                }
            }
            for (Path folder : agents.damaged()) {
                if (id == null || folder.startsWith(agents.settings().data().resolve(id))) {
                    isNothing = false;
                    print(folder);
                    code = ExitCode.PROBLEMS_FOUND;
                }
            }
            if (isNothing && !options.json && !options.quiet) {
                streams.err().println(id == null ? "No agent is installed." : id + " is not installed.");
            }
            return code.number();
        });
    }

    private void print(Path folder) {
        if (options.json) {
            streams.out()
                    .json(JsonObject.of(Map.of(
                                    "event", JsonString.of("verified"),
                                    "folder", JsonString.of(folder.toString()),
                                    "status", JsonString.of("damaged")))
                            .toString());
        } else {
            streams.out().println(SafeText.line(folder.toString()) + ": no receipt that can be read");
        }
    }

    private void print(Installation installation, List<String> changes) {
        String what = installation.id() + " " + installation.version();
        if (options.json) {
            Map<String, JsonValue> members =
                    new LinkedHashMap<>(Receipts.json("verified", installation).members());
            members.put("changes", Listing.texts(changes));
            members.put("status", JsonString.of(changes.isEmpty() ? "ok" : "changed"));
            streams.out().json(JsonObject.of(members).toString());
        } else if (changes.isEmpty()) {
            streams.out().println(what + ": unchanged");
        } else {
            streams.out()
                    .println(what + ": changed since it was installed, in "
                            + SafeText.line(installation.folder().toString()));
            changes.forEach(change -> streams.out().println("  " + SafeText.line(change)));
        }
    }
}
