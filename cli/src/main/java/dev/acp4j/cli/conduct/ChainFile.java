package dev.acp4j.cli.conduct;

import dev.acp4j.cli.command.AgentLauncher;
import dev.acp4j.cli.command.Durations;
import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.NearestName;
import dev.acp4j.cli.command.TrustedFiles;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Yaml;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.process.Launch;
import dev.acp4j.proxy.Component;
import dev.acp4j.proxy.ComponentLimits;
import dev.acp4j.proxy.Deadlines;
import dev.acp4j.redaction.Redaction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import picocli.CommandLine.TypeConversionException;

/**
 * A chain as a file, YAML or JSON.
 *
 * @param components the first next to the client
 * @param agent the agent; null if the chain is itself a proxy
 * @param agentDeadlines how long the agent may take
 * @param agentLimits how much the agent may hold and say
 * @param agentOnDeath what happens when the agent dies
 * @param isBridged whether MCP servers are served to the agent at addresses and by programs of this machine
 */
record ChainFile(
        List<Component> components,
        @Nullable Launch agent,
        Deadlines agentDeadlines,
        ComponentLimits agentLimits,
        List<Component.OnDeath> agentOnDeath,
        boolean isBridged) {
    /** What happens when an agent dies, if the chain says nothing. */
    static final List<Component.OnDeath> AGENT_ON_DEATH = List.of(Component.OnDeath.FAIL);

    private static final List<String> LIMITS = List.of("messageBytes", "requests", "queuedBytes", "messagesPerSecond");
    private static final List<String> PHASES = List.of("start", "initialization", "setup", "prompt", "health");

    /** Returns a chain that says nothing else of its agent. */
    static ChainFile of(List<Component> components, @Nullable Launch agent, boolean isBridged) {
        return new ChainFile(components, agent, Deadlines.AGENT, ComponentLimits.NONE, AGENT_ON_DEATH, isBridged);
    }

    /** Returns what is in a file. */
    static String contents(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UsageException("the chain cannot be read: " + SafeText.line(IoProblem.text(e)));
        }
    }

    static ChainFile parse(Path file, String contents) {
        return new Reader(file).chain(contents);
    }

    /** Requires that a file with these contents is one of the user, or that the user trusts it. */
    static void requireTrusted(Path file, String contents) {
        try {
            if (TrustedFiles.isOfProject(file) && !TrustedFiles.ofUser().isTrusted(file, contents)) {
                throw new UsageException(
                        SafeText.line(file + " is in a repository, so it starts nothing before you trust "
                                + "it as it is now. Next: acp conduct trust " + file));
            }
        } catch (IOException e) {
            throw new UsageException(
                    "it cannot be found out whether the chain is trusted: " + SafeText.line(IoProblem.text(e)));
        }
    }

    /** Returns what hides the secrets that the chain and the environment hold. */
    Redaction redaction() {
        return hiddenBy(Redaction.SECRETS.and(System.getenv()));
    }

    /** Returns what hides the secrets that the chain holds, too. */
    Redaction hiddenBy(Redaction others) {
        Redaction redaction = others;
        for (Component component : components) {
            redaction = redaction.and(component.launch().declared());
        }
        return agent == null ? redaction : redaction.and(agent.declared());
    }

    /** Returns the chain with these components. */
    ChainFile components(List<Component> some) {
        return new ChainFile(some, agent, agentDeadlines, agentLimits, agentOnDeath, isBridged);
    }

    /** Returns the chain with this agent. */
    ChainFile agent(@Nullable Launch other) {
        return new ChainFile(components, other, agentDeadlines, agentLimits, agentOnDeath, isBridged);
    }

    /** Returns the chain as the text of a file. */
    String text() {
        StringBuilder out = new StringBuilder();
        if (!components.isEmpty()) {
            out.append("components:\n");
        }
        for (Component component : components) {
            out.append("  - id: ").append(quoted(component.id())).append('\n');
            append(out, component.launch());
            if (component.isLegacy()) {
                out.append("    dialect: legacy\n");
            }
            out.append("    onDeath: ")
                    .append(component.onDeath().toString().toLowerCase(Locale.ROOT))
                    .append('\n');
            append(out, component.deadlines(), Deadlines.STANDARD);
            append(out, component.limits());
        }
        if (agent != null) {
            out.append("agent:\n");
            append(out, agent);
            if (!agentOnDeath.equals(AGENT_ON_DEATH)) {
                out.append("    onDeath: ")
                        .append(agentOnDeath.toString().toLowerCase(Locale.ROOT))
                        .append('\n');
            }
            append(out, agentDeadlines, Deadlines.AGENT);
            append(out, agentLimits);
        }
        if (!isBridged) {
            out.append("bridge: off\n");
        }
        return out.toString();
    }

    private static void append(StringBuilder out, Deadlines deadlines, Deadlines standard) {
        if (deadlines.equals(standard)) {
            return;
        }
        List<String> members = new ArrayList<>();
        for (String phase : PHASES) {
            long millis = limit(deadlines, phase).toMillis();
            members.add(
                    phase + ": " + (millis == 0 ? "off" : millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms"));
        }
        out.append("    deadlines: {").append(String.join(", ", members)).append("}\n");
    }

    private static void append(StringBuilder out, ComponentLimits limits) {
        if (!limits.equals(ComponentLimits.NONE)) {
            out.append("    limits: {messageBytes: ")
                    .append(limits.messageBytes())
                    .append(", requests: ")
                    .append(limits.requests())
                    .append(", queuedBytes: ")
                    .append(limits.queuedBytes())
                    .append(", messagesPerSecond: ")
                    .append(limits.messagesPerSecond())
                    .append("}\n");
        }
    }

    private static ComponentLimits with(ComponentLimits limits, String name, int value) {
        return switch (name) {
            case "messageBytes" -> limits.withMessageBytes(value);
            case "requests" -> limits.withRequests(value);
            case "queuedBytes" -> limits.withQueuedBytes(value);
            default -> limits.withMessagesPerSecond(value);
        };
    }

    private static Duration limit(Deadlines deadlines, String phase) {
        return switch (phase) {
            case "start" -> deadlines.start();
            case "initialization" -> deadlines.initialization();
            case "setup" -> deadlines.setup();
            case "prompt" -> deadlines.prompt();
            default -> deadlines.health();
        };
    }

    private static Deadlines with(Deadlines deadlines, String phase, Duration limit) {
        return switch (phase) {
            case "start" -> deadlines.withStart(limit);
            case "initialization" -> deadlines.withInitialization(limit);
            case "setup" -> deadlines.withSetup(limit);
            case "prompt" -> deadlines.withPrompt(limit);
            default -> deadlines.withHealth(limit);
        };
    }

    private static void append(StringBuilder out, Launch launch) {
        List<String> command = new ArrayList<>();
        command.add(quoted(launch.command()));
        launch.arguments().forEach(argument -> command.add(quoted(argument)));
        out.append("    command: ").append(command).append('\n');
        if (!launch.declared().isEmpty()) {
            out.append("    env:\n");
            launch.declared()
                    .forEach((name, value) -> out.append("      ")
                            .append(quoted(name))
                            .append(": ")
                            .append(quoted(value))
                            .append('\n'));
        }
        Path cwd = launch.cwd();
        if (cwd != null) {
            out.append("    cwd: ").append(quoted(cwd.toString())).append('\n');
        }
    }

    private static String quoted(String text) {
        JsonWriter out = new JsonWriter();
        out.string(text);
        return out.toRawJson().toString();
    }

    /** Reads the policies of a component, in the order in which they are tried. */
    static Component.OnDeath[] policies(List<String> names) {
        Component.OnDeath[] policies = new Component.OnDeath[names.size()];
        for (int i = 0; i < policies.length; i++) {
            policies[i] = switch (names.get(i)) {
                case "restart" -> Component.OnDeath.RESTART;
                case "bypass" -> Component.OnDeath.BYPASS;
                case "fail" -> Component.OnDeath.FAIL;
                default ->
                    throw new IllegalArgumentException("expected restart, bypass or fail, got " + names.get(i) + "."
                            + NearestName.suggestion(names.get(i), List.of("restart", "bypass", "fail")));
            };
        }
        return policies;
    }

    /** Requires that policies are some of an agent. */
    static List<Component.OnDeath> ofAgent(Component.OnDeath... policies) {
        List<Component.OnDeath> all = List.of(policies);
        if (all.contains(Component.OnDeath.BYPASS)) {
            throw new IllegalArgumentException(
                    "expected restart or fail, since nothing can take the place of an agent");
        }
        return all;
    }

    private static final class Reader {
        private static final String[] PROGRAM = {
            "command", "url", "env", "cwd", "onDeath", "deadlines", "limits", "translate"
        };
        private static final String[] COMPONENT = {
            "id", "command", "env", "cwd", "dialect", "onDeath", "deadlines", "limits", "components"
        };
        private static final String[] CHAIN = {"id", "components"};

        private final Path file;
        private final Path folder;

        Reader(Path file) {
            this.file = file;
            this.folder = file.toAbsolutePath().resolveSibling("");
        }

        ChainFile chain(String text) {
            Node root = Yaml.parse(file, text, this::wrong);
            Map<String, Node> members = members(root, "the chain", "components", "agent", "bridge");
            List<Component> components = new ArrayList<>();
            Set<String> ids = new HashSet<>();
            Node listed = members.get("components");
            if (listed != null) {
                add(listed, "", components, ids);
            }
            Node agent = members.get("agent");
            boolean isBridged = isOn(members.get("bridge"), "bridge");
            if (agent == null) {
                return of(components, null, isBridged);
            }
            if (agent instanceof MappingNode) {
                Map<String, Node> program = members(agent, "the agent", PROGRAM);
                return new ChainFile(
                        components,
                        translated(launch(agent, program), program.get("translate")),
                        deadlines(program, Deadlines.AGENT),
                        limits(program),
                        onDeath(program),
                        isBridged);
            }
            return of(components, command(agent), isBridged);
        }

        /** Returns a switch, which is on where there is none. */
        private boolean isOn(@Nullable Node node, String name) {
            String text = node == null ? "on" : text(node, name);
            if (!text.equals("on") && !text.equals("off")) {
                throw wrong(Objects.requireNonNull(node), name + ": expected on or off, got " + text);
            }
            return text.equals("on");
        }

        private List<Component.OnDeath> onDeath(Map<String, Node> agent) {
            Node node = agent.get("onDeath");
            if (node == null) {
                return AGENT_ON_DEATH;
            }
            try {
                return ofAgent(policies(texts(node, "onDeath")));
            } catch (IllegalArgumentException e) {
                throw wrong(node, "onDeath: " + e.getMessage());
            }
        }

        /** Adds components; those of a chain within the chain stand in its place, and have its id before theirs. */
        private void add(Node listed, String prefix, List<Component> components, Set<String> ids) {
            for (Node node : items(listed, "components")) {
                Map<String, Node> members = members(node, "a component", COMPONENT);
                Node inner = members.get("components");
                if (inner != null) {
                    Map<String, Node> chain = members(node, "a chain within the chain", CHAIN);
                    add(inner, prefix + text(required(node, chain, "id"), "id") + "/", components, ids);
                    continue;
                }
                Component component = component(node, members, prefix);
                if (!ids.add(component.id())) {
                    throw wrong(node, "two components have the id " + component.id());
                }
                if (ChainParts.RESERVED.contains(component.id())) {
                    throw wrong(
                            node,
                            "the id " + component.id() + " is that of another part of the chain: give it another one");
                }
                components.add(component);
            }
        }

        private Deadlines deadlines(Map<String, Node> of, Deadlines standard) {
            Node node = of.get("deadlines");
            if (node == null) {
                return standard;
            }
            Deadlines deadlines = standard;
            for (Map.Entry<String, Node> limit :
                    members(node, "deadlines", PHASES.toArray(String[]::new)).entrySet()) {
                String text = text(limit.getValue(), limit.getKey());
                try {
                    deadlines = with(
                            deadlines,
                            limit.getKey(),
                            text.equals("off") ? Duration.ZERO : new Durations().convert(text));
                } catch (TypeConversionException e) {
                    throw wrong(limit.getValue(), limit.getKey() + ": " + e.getMessage() + ", or off");
                }
            }
            return deadlines;
        }

        private ComponentLimits limits(Map<String, Node> of) {
            ComponentLimits limits = ComponentLimits.NONE;
            Node node = of.get("limits");
            if (node == null) {
                return limits;
            }
            for (Map.Entry<String, Node> limit :
                    members(node, "limits", LIMITS.toArray(String[]::new)).entrySet()) {
                String text = text(limit.getValue(), limit.getKey());
                if (!text.matches("\\d{1,9}")) {
                    throw wrong(
                            limit.getValue(),
                            limit.getKey() + ": expected a whole number, 0 for no limit, got " + text);
                }
                limits = with(limits, limit.getKey(), Integer.parseInt(text));
            }
            return limits;
        }

        private Component component(Node node, Map<String, Node> members, String prefix) {
            Component component = Component.of(
                            prefix + text(required(node, members, "id"), "id"), launch(node, members))
                    .deadlines(deadlines(members, Deadlines.STANDARD))
                    .limits(limits(members));
            Node dialect = members.get("dialect");
            if (dialect != null) {
                component = switch (text(dialect, "dialect")) {
                    case "standard" -> component;
                    case "legacy" -> component.legacy();
                    default -> throw wrong(dialect, "dialect: expected standard or legacy, got " + text(dialect, ""));
                };
            }
            Node onDeath = members.get("onDeath");
            if (onDeath == null) {
                return component;
            }
            try {
                return component.onDeath(policies(texts(onDeath, "onDeath")));
            } catch (IllegalArgumentException e) {
                throw wrong(onDeath, "onDeath: " + e.getMessage());
            }
        }

        private Launch launch(Node node, Map<String, Node> members) {
            Launch launch = members.containsKey("url") ? remote(members) : command(required(node, members, "command"));
            Node env = members.get("env");
            if (env != null) {
                for (Map.Entry<String, Node> variable : members(env, "env").entrySet()) {
                    launch = launch.env(variable.getKey(), text(variable.getValue(), variable.getKey()));
                }
            }
            Node cwd = members.get("cwd");
            return cwd == null
                    ? launch
                    : launch.cwd(folder.resolve(text(cwd, "cwd")).normalize());
        }

        /** Returns the launch of what reaches an agent behind a URL. */
        private Launch remote(Map<String, Node> members) {
            Node node = Objects.requireNonNull(members.get("url"));
            Node command = members.get("command");
            if (command != null) {
                throw wrong(command, "an agent has a url or a command: with options it is acp connect OPTIONS URL");
            }
            return AgentLauncher.acp("connect", text(node, "url"));
        }

        /** Returns the launch of an agent behind a translator: the end of the chain is the only place for one. */
        private Launch translated(Launch agent, @Nullable Node to) {
            if (to == null) {
                return agent;
            }
            String version = text(to, "translate");
            if (!List.of("auto", "1", "2").contains(version)) {
                throw wrong(to, "translate: expected auto, 1 or 2, got " + version);
            }
            List<String> words = new ArrayList<>(List.of("translate", "--to", version, "--", agent.command()));
            words.addAll(agent.arguments());
            Launch translator = AgentLauncher.acp(words.toArray(String[]::new));
            for (Map.Entry<String, String> variable : agent.declared().entrySet()) {
                translator = translator.env(variable.getKey(), variable.getValue());
            }
            Path cwd = agent.cwd();
            return cwd == null ? translator : translator.cwd(cwd);
        }

        private Launch command(Node node) {
            try {
                if (node instanceof SequenceNode) {
                    List<String> words = texts(node, "command");
                    return AgentLauncher.in(folder, Launch.of(words.get(0), words.subList(1, words.size())));
                }
                return AgentLauncher.in(folder, Launch.parse(text(node, "command")));
            } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                throw wrong(node, "command: " + (e instanceof IllegalArgumentException ? e.getMessage() : "is empty"));
            }
        }

        private Node required(Node of, Map<String, Node> members, String name) {
            Node node = members.get(name);
            if (node == null) {
                throw wrong(of, name + " is missing");
            }
            return node;
        }

        /** Returns the members of a mapping; with no names, all are allowed. */
        private Map<String, Node> members(Node node, String what, String... names) {
            if (!(node instanceof MappingNode mapping)) {
                throw wrong(node, what + ": expected keys with values");
            }
            Map<String, Node> members = new LinkedHashMap<>();
            for (NodeTuple member : mapping.getValue()) {
                String name = text(member.getKeyNode(), "a key");
                if (names.length > 0 && !Arrays.asList(names).contains(name)) {
                    throw wrong(
                            member.getKeyNode(),
                            what + " has no key " + name + "." + NearestName.suggestion(name, List.of(names)));
                }
                if (members.put(name, member.getValueNode()) != null) {
                    throw wrong(member.getKeyNode(), "the key " + name + " stands twice");
                }
            }
            return members;
        }

        private List<Node> items(Node node, String what) {
            if (!(node instanceof SequenceNode sequence)) {
                throw wrong(node, what + ": expected a list");
            }
            return sequence.getValue();
        }

        /** Returns the texts of a list, or one text alone. */
        private List<String> texts(Node node, String what) {
            return node instanceof SequenceNode
                    ? items(node, what).stream().map(item -> text(item, what)).toList()
                    : List.of(text(node, what));
        }

        private String text(Node node, String what) {
            if (!(node instanceof ScalarNode scalar)) {
                throw wrong(node, what + ": expected a text");
            }
            return scalar.getValue();
        }

        private UsageException wrong(Node node, String problem) {
            return wrong(Yaml.line(node), problem);
        }

        private UsageException wrong(int line, String problem) {
            return new UsageException(SafeText.line(file + ", line " + line + ": " + problem));
        }
    }
}
