package dev.acp4j.cli.editors;

import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.AgentLauncher;
import dev.acp4j.cli.command.CommandFailedException;
import dev.acp4j.cli.command.Confirmation;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.editors.AgentsText.Listed;
import dev.acp4j.cli.editors.Editor.Place;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.registry.Agents;
import dev.acp4j.registry.RegistrySettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code acp install-into}: puts an agent into the settings of an editor. */
@Command(
        name = "install-into",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = {
            "acp install-into EDITOR [NAME] [OPTIONS] [-- COMMAND [ARGUMENT...]]",
            "       acp install-into --all [--agent NAME] [OPTIONS] [-- COMMAND [ARGUMENT...]]",
            "       acp install-into --list [--json]"
        },
        description = {
            "Puts an agent into the settings of an editor: the built-in one, an installed one by its name, or a command.",
            "",
            "The agent is first started as an editor starts it, without a shell's variables. Only the agent's own lines "
                    + "change in the file, comments stay, and the former file is kept: acp uninstall-from takes the agent "
                    + "out again. The change is shown before it is written."
        },
        parameterListHeading = "%n",
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp install-into --list",
            "  acp install-into zed",
            "  acp install-into zed claude",
            "  acp install-into jetbrains --trace -- gemini --acp",
            "  acp install-into neovim -p context: -p ./brief-proxy -- gemini --acp",
            "  acp install-into vscode --dry-run --name Mine -- java -jar agent.jar",
            "  acp install-into --all --yes",
            "",
            "Exit codes:",
            "    0  all is as it should be, or was shown",
            "    1  the agent does not start there, or a file was left alone",
            "    2  wrong command line, or nobody to ask",
            "    6  standard output could not be written",
            "  130  interrupted",
            "  141  standard output was closed by its reader"
        })
public final class InstallCommand implements Callable<Integer> {
    static final String OWN_NAME = "acp4j";

    /** Programs whose name says nothing about the agent that they run. */
    private static final Set<String> RUNNERS = Set.of(
            "java", "node", "npx", "python", "python3", "uvx", "uv", "sh", "bash", "env", "jbang", "docker", "deno",
            "bun");

    private final Streams streams;

    @Mixin
    private final AgentChoice agent;

    @Parameters(index = "0", arity = "0..1", paramLabel = "EDITOR", description = "The editor; --list lists them.")
    private @Nullable String editor;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "NAME",
            description = "The name of an installed agent, as with --agent: the editor starts 'acp run' with its id.")
    private @Nullable String named;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "The name in the editor; default: acp4j, that of the agent, the command or the chain.")
    private @Nullable String name;

    @Option(
            names = "--env",
            paramLabel = "NAME=VALUE",
            description = "Have the editor set this variable for the agent; repeatable. It is written to the file.")
    private List<String> environment = new ArrayList<>();

    @Option(
            names = "-p",
            paramLabel = "PROXY",
            description = "Put this proxy before the agent: the editor starts 'acp conduct'; repeatable.")
    private List<String> proxies = new ArrayList<>();

    @Option(
            names = "--chain",
            paramLabel = "FILE",
            description = "Put the proxies of this chain file before the agent; without another one it is that of the "
                    + "file.")
    private @Nullable Path chain;

    @Option(
            names = "--trace",
            description = "Add a second entry, \"NAME, traced\", that records the messages; see 'acp trace show'.")
    private boolean trace;

    @Option(names = "--replace", description = "Replace another agent of that name.")
    private boolean replace;

    @Option(names = "--force", description = "Make the settings of an editor that is not found.")
    private boolean force;

    @Option(names = "--no-check", description = "Do not start the agent before.")
    private boolean noCheck;

    @Option(names = "--print", description = "Print what to paste, and write nothing.")
    private boolean print;

    @Option(names = "--list", description = "List the editors: found or not, their files, and the agents in them.")
    private boolean list;

    @Mixin
    private final PlaceOptions places = new PlaceOptions();

    public InstallCommand(Streams streams, AgentChoice agent) {
        this.streams = streams;
        this.agent = agent;
    }

    @Override
    public Integer call() throws InterruptedException {
        Desktop desktop = Desktop.here();
        EditorsReport report = new EditorsReport(streams, places.json);
        if (list) {
            list(desktop, report);
            return ExitCode.END_OF_TURN.number();
        }
        List<Editor> editors = places.editors(editor, desktop);
        if (!places.all) {
            place(editors.getFirst(), desktop); // A wrong option is reported before anything is started.
        }
        AgentEntry acp = AgentEntry.of("acp", AgentLauncher.acp());
        boolean isShown = print || places.dryRun;
        boolean isAsked = !isShown && !places.yes && editors.stream().anyMatch(each -> each.text() != null);
        if (isAsked && (places.json || !streams.hasPerson())) {
            throw new UsageException(
                    "there is nobody here to ask: --yes writes, --dry-run shows the change, --print the text");
        }
        AgentEntry entry = wanted(acp, desktop, isShown || noCheck);
        if (!isShown && !noCheck) {
            check(entry, desktop);
        }
        Confirmation confirmation = new Confirmation(streams);
        Installer installer = new Installer(
                desktop,
                Receipts.ofUser(),
                acp,
                (each, file, diff) -> consent(streams, places, confirmation, file, diff));
        Installer.Wish wish = new Installer.Wish(entry, trace, replace, force);
        boolean isWell = true;
        for (Editor each : editors) {
            Outcome outcome = outcome(installer, each, wish, desktop);
            isWell &= outcome.status().isWell();
            report.print(outcome);
        }
        if (editors.isEmpty()) {
            streams.err().println("No editor was found here; acp install-into --list lists those that acp knows.");
        }
        return (isWell ? ExitCode.END_OF_TURN : ExitCode.AGENT_FAILED).number();
    }

    private Outcome outcome(Installer installer, Editor each, Installer.Wish wish, Desktop desktop) {
        Place place;
        try {
            place = place(each, desktop);
        } catch (UsageException e) {
            if (!places.all) {
                throw e;
            }
            return Outcome.of(each, Outcome.Status.REFUSED, null, String.valueOf(e.getMessage()));
        }
        return print || place == null ? installer.print(each, place, wish) : installer.install(each, place, wish);
    }

    /**
     * Returns the place of the file; null for an editor without one, and if only the text is wanted and no file is
     * known.
     */
    private @Nullable Place place(Editor each, Desktop desktop) {
        try {
            return places.place(each, desktop);
        } catch (UsageException e) {
            if (!print || places.isGiven()) {
                throw e;
            }
            return null;
        }
    }

    /** Shows a change and asks; a dry run shows it only. */
    static Installer.Answer consent(
            Streams streams, PlaceOptions places, Confirmation confirmation, Path file, List<String> diff) {
        if (places.dryRun) {
            return Installer.Answer.SHOW;
        }
        if (places.yes) {
            return Installer.Answer.WRITE;
        }
        EditorsReport.diff(streams.err(), diff);
        return confirmation.ask("Write this to " + SafeText.line(file.toString()) + "?")
                ? Installer.Answer.WRITE
                : Installer.Answer.DECLINE;
    }

    /**
     * Returns the agent as the editor starts it: with absolute paths, because its search path is another one.
     *
     * @param mayBeMissing whether an agent by name may be installed later
     */
    private AgentEntry wanted(AgentEntry acp, Desktop desktop, boolean mayBeMissing) {
        Map<String, String> variables = variables();
        String agentName = agentName();
        boolean isCommand = agentName == null && agent.isGiven();
        String id = null;
        AgentEntry plain;
        if (agentName != null) {
            id = id(agentName, desktop, mayBeMissing);
            plain = AgentEntry.of(agentName.replaceFirst("@.*", ""), AgentLauncher.acp("run", id));
        } else {
            plain = isCommand ? ofCommand(desktop) : AgentEntry.of(OWN_NAME, AgentLauncher.acp("agent"));
        }
        AgentEntry entry = chain == null && proxies.isEmpty()
                ? plain
                : conducted(plain, id, id != null || isCommand, acp, desktop);
        warnOfSecrets(entry.args());
        return new AgentEntry(name == null ? entry.name() : checked(name), entry.command(), entry.args(), variables);
    }

    private @Nullable String agentName() {
        if (named != null) {
            agent.word(named, "");
        }
        return agent.named();
    }

    /** A short name or a beginning could mean another agent one day, so the id is written. */
    private String id(String agentName, Desktop desktop, boolean mayBeMissing) {
        try {
            return id(agentName, desktop.home());
        } catch (IOException e) {
            RuntimeException failure = isOfProject(agentName, desktop)
                    ? new CommandFailedException(Failure.agent(
                            agentName + " is pinned for this project only, and an editor starts agents elsewhere.",
                            "Pin it for yourself: acp agents add --user " + agentName))
                    : agent.failure(e);
            if (!mayBeMissing || !(failure instanceof CommandFailedException)) {
                throw failure;
            }
            streams.err().println("Warning: " + SafeText.line(String.valueOf(failure.getMessage())));
            return agentName;
        }
    }

    private static String id(String agentName, Path folder) throws IOException {
        try (Agents agents = Agents.of(RegistrySettings.ofUser(), folder)) {
            return agentName.replaceFirst(
                    "^[^@]*", agents.installation(agentName).id());
        }
    }

    private static boolean isOfProject(String agentName, Desktop desktop) {
        try {
            return !id(agentName, desktop.folder()).isEmpty();
        } catch (IOException e) {
            return false;
        }
    }

    private AgentEntry ofCommand(Desktop desktop) {
        AgentEntry given = AgentEntry.of("", agent.launch());
        List<String> line = absolute(given.words(), desktop);
        return new AgentEntry(
                name == null ? nameOf(given.command()) : name, line.getFirst(), line.subList(1, line.size()), Map.of());
    }

    private List<String> absolute(List<String> words, Desktop desktop) {
        List<String> line = new ArrayList<>(words);
        for (int i = 1; i < line.size(); i++) {
            String file = desktop.file(line.get(i));
            if (file != null) {
                streams.err()
                        .println("Note: " + SafeText.line(line.get(i)) + " is a file here, and is written as "
                                + SafeText.line(file) + ": an editor starts the agent in another folder.");
                line.set(i, file);
            }
        }
        return desktop.absolute(line)
                .orElseThrow(() -> new CommandFailedException(Failure.agent(
                        "command not found: " + SafeText.line(words.getFirst()),
                        "Give the full path of the program, or install it first.")));
    }

    /**
     * Returns the agent behind proxies.
     *
     * @param id the id of an agent by name, which the conductor starts itself
     * @param isGiven whether the agent was given, and is not that of the chain file
     */
    private AgentEntry conducted(
            AgentEntry plain, @Nullable String id, boolean isGiven, AgentEntry acp, Desktop desktop) {
        if (chain != null && !proxies.isEmpty()) {
            throw new UsageException("-p and --chain cannot be combined: add the proxy to the file");
        }
        AbsoluteChain absolute = new AbsoluteChain(desktop, acp, words -> absolute(words, desktop));
        List<String> args = new ArrayList<>(acp.args());
        args.add("conduct");
        args.addAll(chain == null ? absolute.ofProxies(streams, proxies) : absolute.ofFile(streams, chain, isGiven));
        if (id != null) {
            args.addAll(List.of("--agent", id));
        } else if (chain == null || isGiven) {
            args.add("--");
            args.addAll(plain.words());
        }
        String ownName = chain == null || isGiven
                ? plain.name()
                : String.valueOf(chain.getFileName()).replaceFirst("(?i)\\.(ya?ml|json)$", "");
        return new AgentEntry(ownName, acp.command(), args, Map.of());
    }

    /** A proxy's variable may name one of the environment instead: {@code KEY=$KEY}. */
    private void warnOfSecrets(List<String> args) {
        List<String> texts =
                args.stream().map(arg -> arg.replaceAll("\\b\\w+=\\$\\w+", "")).toList();
        if (!Redaction.SECRETS.redact(texts).equals(texts)) {
            streams.err()
                    .println(
                            "Warning: what looks like a secret is in the command line, and is written to the file as it is.");
        }
    }

    private static String checked(String name) {
        if (name.isBlank() || name.chars().anyMatch(Character::isISOControl)) {
            throw new UsageException("not the name of an agent: '" + SafeText.line(name) + "'");
        }
        return name;
    }

    private static String nameOf(String command) {
        String file = Objects.requireNonNull(Path.of(command).getFileName()).toString();
        String bare = file.replaceFirst("(?i)\\.(exe|cmd|bat|sh)$", "");
        if (RUNNERS.contains(bare)) {
            throw new UsageException("'" + bare + "' says nothing about the agent: give it a name with --name");
        }
        return bare;
    }

    /** Nothing is taken from the environment: a key of the user must not end up in a file by itself. */
    private Map<String, String> variables() {
        Map<String, String> variables = new LinkedHashMap<>();
        for (String variable : environment) {
            int equals = variable.indexOf('=');
            if (equals < 1) {
                throw new UsageException("expected --env NAME=VALUE, got --env " + SafeText.line(variable)
                        + ": values are not taken from the environment");
            }
            if (!Redaction.SECRETS.redact(variable).equals(variable)) {
                streams.err()
                        .println("Warning: " + SafeText.line(variable.substring(0, equals))
                                + " looks like a secret, and is written to the file as it is.");
            }
            variables.put(variable.substring(0, equals), variable.substring(equals + 1));
        }
        return variables;
    }

    private void check(AgentEntry entry, Desktop desktop) throws InterruptedException {
        if (!places.json) {
            streams.err().println("Starting '" + SafeText.line(entry.name()) + "' as an editor does…");
        }
        Failure failure = DesktopStart.failure(entry, desktop);
        if (failure != null) {
            throw new CommandFailedException(failure);
        }
    }

    private void list(Desktop desktop, EditorsReport report) {
        for (Editor each : Editors.ALL) {
            List<Place> places = each.shownPlaces(desktop);
            if (places.isEmpty()) {
                report.print(each, null, List.of(), null);
            }
            for (Place place : places) {
                list(each, Objects.requireNonNull(each.text()), place, report);
            }
        }
    }

    private static void list(Editor editor, AgentsText text, Place place, EditorsReport report) {
        List<Listed> agents = List.of();
        String problem = null;
        try {
            agents = text.agents(SettingsFile.read(place.file()).text());
        } catch (UnreadableTextException e) {
            problem = e.getMessage();
        } catch (IOException e) {
            problem = IoProblem.text(e);
        }
        report.print(editor, place, agents, problem);
    }
}
