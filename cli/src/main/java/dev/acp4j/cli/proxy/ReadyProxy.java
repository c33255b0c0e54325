package dev.acp4j.cli.proxy;

import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.NearestName;
import dev.acp4j.cli.command.StateFolder;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.lsp.LanguageTools;
import dev.acp4j.process.Launch;
import dev.acp4j.proxies.AgentTools;
import dev.acp4j.proxies.Budget;
import dev.acp4j.proxies.ClientTools;
import dev.acp4j.proxies.ContextFiles;
import dev.acp4j.proxies.MessageLog;
import dev.acp4j.proxies.PathMapper;
import dev.acp4j.proxies.PermissionRules;
import dev.acp4j.proxies.SecretPlaceholders;
import dev.acp4j.proxies.SideBySide;
import dev.acp4j.proxies.SystemInstructions;
import dev.acp4j.proxies.ToolFilter;
import dev.acp4j.proxies.VendorDialects;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.schema.ToolKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The ready-made proxies, as they are named on command lines. */
public enum ReadyProxy {
    /** See {@link MessageLog}. */
    LOG(
            "log",
            "writes prompts and answers, or all messages, to a file, a JSON object per line",
            "holds up a message, or writes a secret that it can recognize",
            option("file=FILE", "the file; required"),
            option("messages=prompts|all", "what to write; default: prompts and their answers"),
            option("bytes=N", "the size from which on a new file begins; default: 10485760")) {
        @Override
        Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened) throws IOException {
            MessageLog.Builder builder = MessageLog.builder(options.file("file"))
                    .maxBytes(options.number("bytes", 10 * 1024 * 1024))
                    .onNotice(onNotice);
            MessageLog log = (options.isSecond("messages", "prompts", "all") ? builder.everything() : builder).open();
            opened.accept(log);
            return log.proxy();
        }
    },

    /** See {@link SystemInstructions}. */
    SYSTEM_PROMPT(
            "system-prompt",
            "gives the agent instructions in each session",
            "claims to have replaced what it could only add to, or shows them as words of the user",
            option("text=TEXT", "the instructions"),
            option("file=FILE", "a file with the instructions, in the place of text"),
            option("mode=append|override", "override replaces the agent's own, if it offers that; default: append")) {
        @Override
        Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened) throws IOException {
            String text = options.text("text");
            if (text == null) {
                text = Files.readString(options.file("file"));
            } else if (options.text("file") != null) {
                throw options.wrong("takes text or file, not both");
            }
            SystemInstructions.Builder builder =
                    SystemInstructions.builder(text).onNotice(onNotice);
            return options.isSecond("mode", "append", "override")
                    ? builder.override().build()
                    : builder.build();
        }
    },

    /** See {@link ContextFiles}. */
    CONTEXT(
            "context",
            "gives the agent AGENTS.md, or other files of the project, with the first prompt and after changes",
            "reads outside of the repository, links included, or shows the files as words of the user",
            option("files=NAME,...", "the files, looked for from the session's folder up; default: AGENTS.md"),
            option("bytes=N", "what the files of a prompt have at most; default: 65536"),
            option("not-for=AGENT,...", "agents that read the files themselves, by their names in initialize")) {
        @Override
        Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened) {
            String[] files = options.list("files");
            ContextFiles.Builder builder = ContextFiles.builder(files.length == 0 ? new String[] {"AGENTS.md"} : files)
                    .maxBytes(options.number("bytes", 64 * 1024))
                    .onNotice(onNotice);
            return options.text("not-for") == null
                    ? builder.build()
                    : builder.notFor(options.list("not-for")).build();
        }
    },

    /** See {@link ToolFilter}. */
    TOOLS(
            "tools",
            "forbids tools by name: those of MCP servers, and questions for permission",
            "matches a title or a similar name; it cannot stop tools of the agent that need no permission",
            option("allow=TOOL,...", "only these are allowed"),
            option("deny=TOOL,...", "these are forbidden, also if they are allowed"),
            option("on-use=warn|cancel", "what happens when a forbidden tool is seen at work; default: warn")) {
        @Override
        Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened) {
            ToolFilter.Builder builder = ToolFilter.builder()
                    .allow(options.list("allow"))
                    .deny(options.list("deny"))
                    .onNotice(onNotice);
            if (options.list("allow").length + options.list("deny").length == 0) {
                throw options.wrong("needs allow=TOOL,... or deny=TOOL,...");
            }
            return options.isSecond("on-use", "warn", "cancel")
                    ? builder.cancel().build()
                    : builder.build();
        }
    },

    /** See {@link PermissionRules}. */
    POLICY(
            "policy",
            "answers questions for permission by rules; what no rule is for, the client is asked",
            "chooses an option for always, or allows a call of an unknown kind",
            option("allow=KIND,...", "kinds of calls that are allowed: read, search, edit, ..."),
            option("deny=KIND,...", "kinds that are denied, also if something else allows them"),
            option("allow-tools=TOOL,...", "tools that are allowed, by exact names"),
            option("deny-tools=TOOL,...", "tools that are denied, also if something else allows them")) {
        @Override
        Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened) {
            return PermissionRules.builder()
                    .allow(kinds(options.list("allow")))
                    .deny(kinds(options.list("deny")))
                    .allowTools(options.list("allow-tools"))
                    .denyTools(options.list("deny-tools"))
                    .onDecision(decision ->
                            onNotice.accept("A call in session " + decision.session() + " was " + decision + "."))
                    .build();
        }
    },

    /** See {@link dev.acp4j.proxies.AddedMcpServers}. */
    MCP(
            "mcp",
            "adds the MCP servers of a file to each session",
            "replaces a server of the client, adds what the agent cannot connect to, or uses a file of a project"
                    + " before 'acp proxy trust FILE'",
            option("config=FILE", "a file such as .mcp.json, read for each session; required"),
            option("in=FOLDER,...", "only for sessions in these folders")) {
        @Override
        Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened) throws IOException {
            return SessionProxies.mcp(options, onNotice);
        }
    },

    /** See {@link LanguageTools}. */
    LSP(
            "lsp",
            "gives the agent tools of language servers: diagnostics, definitions, references, symbols",
            "applies an edit, runs a command of a server, or reads a file outside of the session's folders",
            option("server=LANGUAGE=COMMAND,...", "the servers, such as python=pylsp"),
            option("config=FILE", "a file that names them, in a folder of your own"),
            option("in=FOLDER,...", "only for sessions in these folders; servers may run code of a project")) {
        @Override
        Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened) throws IOException {
            LanguageTools tools = LanguageProxy.tools(options, onNotice);
            opened.accept(tools);
            return tools.proxy();
        }
    },

    /** See {@link PathMapper}. */
    PATHS(
            "paths",
            "translates paths for an agent that has the files at other places, such as in a container or in WSL",
            "changes texts, input or output of tools, or the commands of MCP servers",
            option("map=CLIENT=AGENT,...", "folders of the client, and where the agent has them; required"),
            option("outside=refuse|pass", "requests with paths outside of these folders; default: refuse")) {
        @Override
        Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened) {
            PathMapper.Builder builder = PathMapper.builder().onNotice(onNotice);
            for (String pair : options.list("map")) {
                int middle = pair.indexOf('=');
                if (middle < 0) {
                    throw options.wrong("expects map=CLIENT=AGENT, got " + SafeText.line(pair));
                }
                builder.map(pair.substring(0, middle), pair.substring(middle + 1));
            }
            if (options.list("map").length == 0) {
                throw options.wrong("needs folders: map=CLIENT=AGENT,...");
            }
            return options.isSecond("outside", "refuse", "pass")
                    ? builder.passOutside().build()
                    : builder.build();
        }
    },

    /** See {@link SecretPlaceholders}. */
    REDACT(
            "redact",
            "gives the agent placeholders for secrets, and puts the secrets in again where it writes them",
            "touches ids, paths and addresses, decodes Base64, keeps a secret in a file, or passes next edit"
                    + " suggestions") {
        @Override
        Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened) {
            return SecretPlaceholders.of(Redaction.SECRETS.and(System.getenv()), onNotice);
        }
    },

    /** See {@link dev.acp4j.proxies.RecordedSessions}. */
    RECORD(
            "record",
            "records sessions, so that they can be listed and loaded with an agent that can only resume them",
            "does anything where the agent loads sessions, or offers to load what it cannot keep",
            option("folder=FOLDER", "where the records are; default: records in the state folder of acp"),
            option("new-sessions=no|yes", "yes: also for agents that cannot resume, in new sessions; default: no")) {
        @Override
        Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened) {
            return SessionProxies.record(options, onNotice);
        }
    },

    /** See {@link dev.acp4j.proxies.Watchdog}. */
    WATCHDOG(
            "watchdog",
            "reports an agent that says nothing, cancels turns that take too long, answers for an agent that hangs",
            "cancels a silent turn unless on-silence=cancel, or while a tool, a question or a terminal is open; ends an agent"
                    + " that is not to be started again with --on-death agent=restart",
            option("silence=TIME", "how long the agent may say nothing in a turn"),
            option("first=TIME", "how long it may say nothing after a prompt; default: silence"),
            option("turn=TIME", "how long a turn may take; then it is cancelled"),
            option("settle=TIME", "how long a turn may take to end once it was cancelled; default: 30s"),
            option("setup=TIME", "how long opening a session may take"),
            option("on-silence=notice|cancel", "cancel ends the turn of a silent agent; default: notice")) {
        @Override
        Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened) {
            return SessionProxies.watchdog(options, onNotice, () -> {});
        }

        @Override
        Proxy open(
                ProxyOptions options,
                Consumer<String> onNotice,
                Consumer<AutoCloseable> opened,
                Runnable onHangingAgent) {
            return SessionProxies.watchdog(options, onNotice, onHangingAgent);
        }
    },

    /** See {@link dev.acp4j.proxies.PromptQueue}. */
    QUEUE(
            "queue",
            "has a prompt that comes during a turn wait, and sends it after the turn",
            "cancels a turn to make room, or has anything but prompts wait") {
        @Override
        Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened) {
            return SessionProxies.queue();
        }
    },

    /** See {@link dev.acp4j.proxies.CommandFiles}. */
    COMMANDS(
            "commands",
            "makes slash commands of Markdown files, and adds them to those of the agent",
            "replaces a command of the agent, or uses a file of a project before 'acp proxy trust FILE'",
            option("folders=FOLDER,...", "folders with files of your own, such as review.md for /review"),
            option("project=SUBFOLDER,...", "folders in the folder of the session, such as .acp/commands")) {
        @Override
        Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened) {
            return SessionProxies.commands(options, onNotice);
        }
    },

    /** See {@link dev.acp4j.proxies.SkillFiles}. */
    SKILLS(
            "skills",
            "gives the agent skills, folders with a SKILL.md: a tool that lists and reads them, and slash commands",
            "replaces a command of the agent, runs anything, reads outside of a skill, or uses a file of a project"
                    + " before 'acp proxy trust FILE'",
            option("folders=FOLDER,...", "folders of your own, such as one with review/SKILL.md"),
            option("project=SUBFOLDER,...", "folders in the folder of the session, such as .acp/skills")) {
        @Override
        Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened) {
            return SessionProxies.skills(options, onNotice);
        }
    },

    /** See {@link dev.acp4j.proxies.Hooks}. */
    HOOKS(
            "hooks",
            "runs commands before prompts, after turns, on calls of tools and on questions, with JSON on standard"
                    + " input; an exit code other than 0 refuses",
            "holds updates back, or runs a file of a project before 'acp proxy trust FILE'",
            option("prompt=COMMAND", "before each prompt, which it may refuse"),
            option("turn-end=COMMAND", "after each turn"),
            option("tool-call=COMMAND", "when a call of a tool is seen; it may have the turn cancelled"),
            option("question=COMMAND", "before each question for permission, which it may have rejected"),
            option("time=TIME", "how long a command may take; default: 30s")) {
        @Override
        Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened) {
            return SessionProxies.hooks(options, onNotice);
        }
    },

    /** See {@link Budget}. */
    BUDGET(
            "budget",
            "limits what each session, or a day, may use: turns beyond it are cancelled, new prompts refused",
            "ends a program, or counts as nothing what the agent does not report",
            option("turns=N", "the turns of a session"),
            option("tool-calls=N", "its calls of tools"),
            option("tokens=N", "the tokens that the agent reports"),
            option("cost=N", "the cost that it reports, in its currency"),
            option("turn-time=TIME", "how long each turn may take"),
            option("day-turns=N", "the turns of a day, in all programs with the same folder"),
            option("day-tool-calls=N", "calls of tools of the day"),
            option("day-tokens=N", "tokens of the day"),
            option("day-cost=N", "cost of the day"),
            option("folder=FOLDER", "where the use of the day is kept; default: budget in the state folder of acp")) {
        @Override
        Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened) {
            Budget.Builder builder = Budget.builder().onNotice(onNotice);
            boolean isAny = false;
            builder.day(options.text("folder") == null ? StateFolder.path().resolve("budget") : options.file("folder"));
            for (String name : List.of(
                    "turns", "tool-calls", "tokens", "cost", "day-turns", "day-tool-calls", "day-tokens", "day-cost")) {
                String most = options.text(name);
                if (most != null) {
                    isAny = true;
                    limit(builder, name, most);
                }
            }
            Duration turnTime = options.time("turn-time");
            if (!isAny && turnTime == null) {
                throw options.wrong(
                        "needs a limit: turns=N, tool-calls=N, tokens=N, cost=N, each also as day-...=N, or turn-time=TIME");
            }
            return turnTime == null
                    ? builder.build()
                    : builder.turnTime(turnTime).build();
        }

        private static void limit(Budget.Builder builder, String name, String most) {
            try {
                Budget.Builder unused = switch (name) {
                    case "turns" -> builder.turns(Integer.parseInt(most));
                    case "tool-calls" -> builder.toolCalls(Integer.parseInt(most));
                    case "tokens" -> builder.tokens(Long.parseLong(most));
                    case "day-turns" -> builder.dayTurns(Integer.parseInt(most));
                    case "day-tool-calls" -> builder.dayToolCalls(Integer.parseInt(most));
                    case "day-tokens" -> builder.dayTokens(Long.parseLong(most));
                    case "day-cost" -> builder.dayCost(Double.parseDouble(most));
                    default -> builder.cost(Double.parseDouble(most));
                };
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("expected a number, got " + name + "=" + most, e);
            }
        }
    },

    /** See {@link AgentTools}. */
    ASK(
            "ask",
            "lets the agent ask other agents, with a tool that returns their final text",
            "lets them ask deeper than depth=N, or gives them the keys of the first agent",
            option("agent=NAME=COMMAND", "an agent and how it is started; required, repeatable"),
            option("files=read|copy", "they only read, or work in a copy of the folder; default: read"),
            option("depth=N", "how deep agents may ask agents; default: 1"),
            option("env=NAME,...", "variables that they get besides, such as those of their keys")) {
        @Override
        Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened) {
            AgentTools.Builder builder =
                    AgentTools.builder().depth(options.number("depth", 1)).onNotice(onNotice);
            agents(options, builder::agent);
            AgentTools others =
                    (options.isSecond("files", "read", "copy") ? builder.inCopies(512L << 20) : builder).open();
            opened.accept(others);
            return others.proxy();
        }
    },

    /** See {@link SideBySide}. */
    BOTH(
            "both",
            "gives each prompt to other agents, too, and shows all answers with time and use",
            "offers the others writing or terminals, or allows a call of theirs",
            option("agent=NAME=COMMAND", "another agent and how it is started; required, repeatable"),
            option("time=TIME", "how long they may take after the first has answered; default: 5m"),
            option("env=NAME,...", "variables that they get besides, such as those of their keys")) {
        @Override
        Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened) {
            SideBySide.Builder builder = SideBySide.builder().onNotice(onNotice);
            agents(options, builder::agent);
            Duration time = options.time("time");
            SideBySide others = (time == null ? builder : builder.limit(time)).open();
            opened.accept(others);
            return others.proxy();
        }
    },

    /** See {@link ClientTools}. */
    CLIENT_TOOLS(
            "client-tools",
            "gives an agent that uses MCP only the files and terminals of the client, as tools",
            "offers what the client does not, or what is outside of the session's folders") {
        @Override
        Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened) {
            return ClientTools.create(onNotice);
        }
    },

    /** See {@link VendorDialects}. */
    DIALECTS(
            "dialects",
            "makes what an agent speaks beside the protocol standard for the client, and the reverse",
            "changes anything else, or what both sides speak",
            option("adapt=terminals,models,steering", "what is adapted; default: all")) {
        @Override
        Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened) {
            if (options.list("adapt").length == 0) {
                return VendorDialects.all();
            }
            VendorDialects.Builder builder = VendorDialects.builder();
            for (String what : options.list("adapt")) {
                VendorDialects.Builder unused = switch (what) {
                    case "terminals" -> builder.terminals();
                    case "models" -> builder.models();
                    case "steering" -> builder.steering();
                    default ->
                        throw options.wrong("adapts terminals, models and steering, got adapt=" + SafeText.line(what));
                };
            }
            return builder.build();
        }
    };

    private final String id;
    private final String what;
    private final String never;

    @SuppressWarnings("ImmutableEnumChecker") // It is of List.of.
    private final List<Option> options;

    /**
     * An option.
     *
     * @param form its name and the form of its value
     * @param meaning what it does
     */
    private record Option(String form, String meaning) {
        String name() {
            return form.substring(0, form.indexOf('='));
        }

        String value() {
            return form.substring(form.indexOf('=') + 1);
        }
    }

    ReadyProxy(String id, String what, String never, Option... options) {
        this.id = id;
        this.what = what;
        this.never = never;
        this.options = List.of(options);
    }

    private static Option option(String form, String meaning) {
        return new Option(form, meaning);
    }

    /** Takes an agent that stands beside that of the chain. */
    private interface OtherAgents {
        Object agent(String name, Launch launch, String... variables);
    }

    private static void agents(ProxyOptions options, OtherAgents agents) {
        for (String agent : options.texts("agent")) {
            int end = agent.indexOf('=');
            if (end < 1 || end == agent.length() - 1) {
                throw options.wrong("expects agent=NAME=COMMAND, got " + SafeText.line(agent));
            }
            Object unused =
                    agents.agent(agent.substring(0, end), Launch.parse(agent.substring(end + 1)), options.list("env"));
        }
        if (options.texts("agent").isEmpty()) {
            throw options.wrong("needs an agent: agent=NAME=COMMAND");
        }
    }

    private static ToolKind[] kinds(String[] names) {
        return Arrays.stream(names).map(ToolKind::of).toArray(ToolKind[]::new);
    }

    abstract Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened)
            throws IOException;

    /** @param onHangingAgent runs when the agent does not end a turn that was cancelled */
    Proxy open(ProxyOptions options, Consumer<String> onNotice, Consumer<AutoCloseable> opened, Runnable onHangingAgent)
            throws IOException {
        return open(options, onNotice, opened);
    }

    /** Returns the name on command lines. */
    public String id() {
        return id;
    }

    /** Returns the proxy with this name; null if there is none. */
    public static @Nullable ReadyProxy find(String id) {
        for (ReadyProxy proxy : values()) {
            if (proxy.id.equals(id)) {
                return proxy;
            }
        }
        return null;
    }

    /**
     * Returns the proxy with this name.
     *
     * @throws UsageException when there is none
     */
    static ReadyProxy named(String id) {
        ReadyProxy found = find(id);
        if (found == null) {
            List<String> ids = Arrays.stream(values()).map(ReadyProxy::id).toList();
            throw new UsageException("there is no proxy " + SafeText.line(id) + ", but " + String.join(", ", ids) + "."
                    + NearestName.suggestion(id, ids));
        }
        return found;
    }

    /**
     * Makes the proxy.
     *
     * @param words its options, {@code NAME=VALUE} each
     * @param onNotice takes what the user should know
     * @param opened takes what to close when the proxy is at its end
     * @throws UsageException when an option is wrong
     */
    public Proxy open(List<String> words, Consumer<String> onNotice, Consumer<AutoCloseable> opened) {
        return open(words, onNotice, opened, () -> {});
    }

    /**
     * Makes the proxy for a chain that can start its agent again.
     *
     * @param onHangingAgent runs when the agent does not end a turn that was cancelled
     */
    public Proxy open(
            List<String> words, Consumer<String> onNotice, Consumer<AutoCloseable> opened, Runnable onHangingAgent) {
        List<String> known = options.stream().map(Option::name).toList();
        ProxyOptions read = new ProxyOptions(id, known, words);
        try {
            return open(read, onNotice, opened, onHangingAgent);
        } catch (IOException e) {
            throw read.wrong("cannot be opened: " + SafeText.line(IoProblem.text(e)));
        } catch (IllegalArgumentException e) {
            throw read.wrong("cannot be opened: " + SafeText.line(String.valueOf(e.getMessage())));
        }
    }

    /** Returns the launch of {@code acp proxy} with this one. */
    public Launch launch(String words) {
        return Launch.parse("acp proxy " + id + " " + words);
    }

    /**
     * Returns options with the same meaning in another folder and with another search path.
     *
     * @param words the options, {@code NAME=VALUE} each; what is no option stays
     * @param folder the folder that files and folders are relative to
     * @param command returns a command line with the absolute path of its program
     */
    public List<String> absolute(List<String> words, Path folder, UnaryOperator<String> command) {
        List<String> absolute = new ArrayList<>();
        for (String word : words) {
            int end = word.indexOf('=');
            String name = word.substring(0, Math.max(0, end));
            String form = options.stream()
                    .filter(option -> option.name().equals(name))
                    .map(Option::value)
                    .findFirst()
                    .orElse("");
            absolute.add(word.substring(0, end + 1) + absolute(word.substring(end + 1), form, folder, command));
        }
        return absolute;
    }

    private static String absolute(String value, String form, Path folder, UnaryOperator<String> command) {
        return switch (form) {
            case "FILE", "FOLDER" -> folder.resolve(value).toString();
            case "COMMAND" -> command.apply(value);
            case "NAME=COMMAND", "LANGUAGE=COMMAND" -> {
                int name = value.indexOf('=') + 1;
                yield value.substring(0, name) + command.apply(value.substring(name));
            }
            default -> {
                String each = form.endsWith(",...") ? form.substring(0, form.length() - 4) : "";
                yield List.of("FOLDER", "LANGUAGE=COMMAND").contains(each)
                        ? Arrays.stream(value.split(",", -1))
                                // A blank one stays, so that it is refused as an empty item.
                                .map(item -> item.isBlank() ? item : absolute(item.strip(), each, folder, command))
                                .collect(Collectors.joining(","))
                        : value;
            }
        };
    }

    /** Returns the proxy that a launch of {@code acp proxy} names; null if the program has to be started for it. */
    public static @Nullable ReadyProxy of(Launch launch) {
        List<String> arguments = launch.arguments();
        boolean isOurs = launch.command().equals("acp")
                && arguments.size() > 1
                && arguments.get(0).equals("proxy")
                && launch.declared().isEmpty()
                && launch.cwd() == null;
        return isOurs ? find(arguments.get(1)) : null;
    }

    /** Returns what it does, its options, and what it never does, as lines. */
    List<String> description() {
        List<String> lines = new ArrayList<>();
        lines.add(id + ": " + what);
        options.forEach(option -> lines.add(String.format("    %-24s %s", option.form, option.meaning)));
        lines.add("    never " + never);
        return lines;
    }

    /** Closes what proxies have opened, the last first, whichever of them fail. */
    public static void close(List<AutoCloseable> opened) {
        IllegalStateException failure = null;
        for (AutoCloseable each : opened.reversed()) {
            try {
                each.close();
            } catch (Exception e) {
                if (failure == null) {
                    failure = new IllegalStateException(e);
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
