package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.Durations;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.process.Launch;
import dev.acp4j.registry.Agents;
import dev.acp4j.registry.EntryCheck;
import dev.acp4j.registry.Installation;
import dev.acp4j.registry.LoginCheck;
import dev.acp4j.registry.Proposal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code acp agents validate}. */
@Command(
        name = "validate",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = {"acp agents validate [OPTIONS] FOLDER [-- COMMAND [ARGUMENT...]]"},
        description = {
            "Judges an entry, ID/agent.json with ID/icon.svg, as the registry does before it lists one.",
            "",
            "Checks its form, versions, platforms and icon, asks the addresses of its archives, and plays the handshake "
                    + "that proves a way to log in: with COMMAND, or else with the program that the entry names, which is "
                    + "installed into a temporary folder for it."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp agents validate my-agent",
            "  acp agents validate --offline my-agent -- target/my-agent --acp",
            "",
            "Exit codes:",
            "    0  the registry would list it; there may be warnings",
            "    2  wrong command line, or a missing folder",
            "    7  the registry would not list it"
        })
final class ValidateCommand implements Callable<Integer> {
    private final Streams streams;
    private final AgentChoice agent;

    @Mixin
    private final RegistryOptions options = new RegistryOptions();

    @Parameters(index = "0", paramLabel = "FOLDER", description = "The folder of the entry; its name is the id.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path folder;

    @Option(names = "--no-login", description = "Do not play the handshake.")
    private boolean noLogin;

    @Option(names = "--no-urls", description = "Do not ask for the archives and packages.")
    private boolean noUrls;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            defaultValue = "120s",
            description = "Timeout for the answer to the handshake; default: 120s, as in the registry.")
    private Duration timeout = LoginCheck.TIME;

    ValidateCommand(Streams streams, AgentChoice agent) {
        this.streams = streams;
        this.agent = agent;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (!Files.isDirectory(folder)) {
            throw new UsageException("there is no folder " + SafeText.line(folder.toString()));
        }
        return options.with(agents -> {
            List<EntryCheck.Finding> findings = new ArrayList<>(EntryCheck.files(folder));
            boolean isReadable =
                    findings.stream().noneMatch(finding -> finding.rule().equals("schema"));
            if (isReadable && !noUrls && !agents.settings().isOffline()) {
                findings.addAll(EntryCheck.addresses(folder, agents));
            }
            if (!noLogin && (agent.isGiven() || isReadable)) {
                findings.addAll(login(agents));
            }
            findings.forEach(this::print);
            boolean isGood = findings.stream().noneMatch(each -> each.severity() == EntryCheck.Severity.ERROR);
            if (!options.json) {
                streams.out().println(isGood ? "the registry would list it" : "the registry would not list it");
            }
            return (isGood ? ExitCode.END_OF_TURN : ExitCode.PROBLEMS_FOUND).number();
        });
    }

    private List<EntryCheck.Finding> login(Agents agents) throws IOException, InterruptedException {
        if (agent.isGiven()) {
            return LoginCheck.play(agent.launch(), timeout);
        }
        Path work = Files.createTempDirectory("acp-validate-");
        try (Agents own = agents.apart(work, folder.resolve("agent.json"))) {
            String id = String.valueOf(folder.toAbsolutePath().normalize().getFileName());
            Proposal proposal = own.propose(id, null, true);
            Installation installation = own.install(
                    proposal,
                    Agents.Consent.UNVERIFIED,
                    own.userLockFile(),
                    false,
                    new ProgressOutput(streams, options));
            Launch launch = own.launch(installation);
            return LoginCheck.play(launch, timeout);
        } catch (IOException e) {
            return List.of(new EntryCheck.Finding(
                    EntryCheck.Severity.ERROR, "login", "it cannot be installed: " + e.getMessage()));
        } finally {
            delete(work);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }

    private void print(EntryCheck.Finding finding) {
        String severity = finding.severity().name().toLowerCase(Locale.ROOT);
        if (options.json) {
            Map<String, JsonValue> members = new LinkedHashMap<>();
            members.put("severity", JsonString.of(severity));
            members.put("rule", JsonString.of(finding.rule()));
            members.put("text", JsonString.of(finding.text()));
            streams.out().json(JsonObject.of(members).toString());
        } else {
            streams.out().println(severity + ": " + finding.rule() + ": " + SafeText.line(finding.text()));
        }
    }
}
