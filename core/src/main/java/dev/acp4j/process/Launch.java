package dev.acp4j.process;

import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.StreamTransport;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The configuration for starting an agent as a process: the command, its working directory and its environment.
 * Immutable; each method returns a changed copy.
 *
 * <p>The agent inherits the variables that programs need to run (search path, home, language, proxies, certificates,
 * tool chains) and the variables that agents need to reach their models ({@code ANTHROPIC_*}, {@code OPENAI_*},
 * {@code GEMINI_*} and the like), but no others: tokens of source hosts, clouds and databases are not passed on. Add
 * names with {@link #inherit}, or pass on everything with {@link #inheritAll()}.
 */
public final class Launch {
    private static final Path HERE = Path.of("");

    private static final Duration STANDARD_WAIT = Duration.ofSeconds(2);

    private final Settings settings;

    /** Computed on first use, possibly more than once. */
    private volatile @Nullable Redaction redaction;

    /** Reads and writes messages over the standard streams of a process, in another form than one message a line. */
    @FunctionalInterface
    public interface Framing {
        /**
         * Returns a transport over two streams, which it owns from now on.
         *
         * @param in the standard output of the process, without a buffer
         * @param out its standard input, without a buffer
         * @param messageBytes the largest message, in bytes
         */
        Transport over(InputStream in, OutputStream out, int messageBytes);
    }

    /** The values of one launch, modified only before they are shared. */
    private static final class Settings {
        String command = "";
        List<String> arguments = List.of();

        @Nullable
        Path cwd;

        Map<String, String> environment = Map.of();
        InheritedEnvironment inherited = InheritedEnvironment.STANDARD;

        @Nullable
        Consumer<String> stderrListener;

        @Nullable
        Consumer<byte[]> stdoutListener;

        Duration patience = STANDARD_WAIT;
        Duration mercy = STANDARD_WAIT;
        int messageBytes = StreamTransport.STANDARD_MESSAGE_BYTES;
        boolean isWatched;

        Settings copy() {
            Settings copy = new Settings();
            copy.command = command;
            copy.arguments = arguments;
            copy.cwd = cwd;
            copy.environment = environment;
            copy.inherited = inherited;
            copy.stderrListener = stderrListener;
            copy.stdoutListener = stdoutListener;
            copy.patience = patience;
            copy.mercy = mercy;
            copy.messageBytes = messageBytes;
            copy.isWatched = isWatched;
            return copy;
        }
    }

    private Launch(Settings settings) {
        this.settings = settings;
    }

    /**
     * Returns the launch of a command with its arguments. Nothing is split or expanded: an argument with spaces stays
     * one argument, a command with spaces is one path.
     *
     * @param command a name to look up in the search path, or the path of a program. A relative path is resolved
     *     against the current directory of this program, not against {@link #cwd}
     */
    public static Launch of(String command, String... arguments) {
        return of(command, List.of(arguments));
    }

    /** Returns the launch of a command with its arguments, like {@link #of(String, String...)}. */
    public static Launch of(String command, List<String> arguments) {
        if (command.isBlank()) {
            throw new IllegalArgumentException("the command is empty");
        }
        Settings settings = new Settings();
        settings.command = command;
        settings.arguments = List.copyOf(arguments);
        return new Launch(settings);
    }

    /**
     * Returns the launch of a command written as text: either as in a shell, {@code MODE=fast agent 'an argument'}, or
     * as JSON, <code>{"command": "agent", "args": ["an argument"], "env": {"MODE": "fast"}}</code>.
     *
     * <p>Quotes, backslashes, variables before the command and a leading {@code ~/} are supported, and no other shell
     * syntax. On Windows a backslash is part of a path.
     *
     * @throws IllegalArgumentException if the text cannot be parsed, or the JSON has another shape
     */
    public static Launch parse(String text) {
        CommandLine line = CommandLine.parse(text);
        Launch launch = of(line.command(), line.arguments());
        launch.settings.environment = Collections.unmodifiableMap(new LinkedHashMap<>(line.environment()));
        return launch;
    }

    /** Returns this launch with arguments appended. */
    public Launch withArguments(String... more) {
        Settings changed = settings.copy();
        List<String> all = new ArrayList<>(settings.arguments);
        all.addAll(List.of(more));
        changed.arguments = List.copyOf(all);
        return new Launch(changed);
    }

    /** Returns this launch with another working directory; the default is that of this program. */
    public Launch cwd(Path directory) {
        Settings changed = settings.copy();
        changed.cwd = Objects.requireNonNull(directory);
        return new Launch(changed);
    }

    /** Returns this launch with an environment variable set; it overrides an inherited one. */
    public Launch env(String name, String value) {
        if (name.isEmpty() || name.indexOf('=') >= 0 || name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("not the name of an environment variable: \"" + name + "\"");
        }
        Settings changed = settings.copy();
        Map<String, String> environment = new LinkedHashMap<>(settings.environment);
        environment.put(name, Objects.requireNonNull(value));
        changed.environment = Collections.unmodifiableMap(environment);
        return new Launch(changed);
    }

    /** Returns this launch with the whole environment of this program passed on, secrets included. */
    public Launch inheritAll() {
        return inheriting(InheritedEnvironment.ALL);
    }

    /**
     * Returns this launch with these variables of this program passed on, and no others.
     *
     * @param names names, or beginnings of names followed by {@code *}; case is ignored
     */
    public Launch inheritOnly(String... names) {
        return inheriting(InheritedEnvironment.only(List.of(names)));
    }

    /**
     * Returns this launch without the variables by which agents reach their models, for programs that are no agents:
     * only those that programs need to run are passed on.
     */
    public Launch inheritNoModelKeys() {
        return inheriting(InheritedEnvironment.PROGRAMS);
    }

    /**
     * Returns this launch with these variables of this program passed on in addition.
     *
     * @param names names, or beginnings of names followed by {@code *}; case is ignored
     */
    public Launch inherit(String... names) {
        return inheriting(settings.inherited.and(List.of(names)));
    }

    private Launch inheriting(InheritedEnvironment inherited) {
        Settings changed = settings.copy();
        changed.inherited = inherited;
        return new Launch(changed);
    }

    /**
     * Returns this launch with a listener for the lines of the agent's standard error. It is called on the thread that
     * reads, so a slow listener blocks reading; lines over 8 KiB are truncated. A listener that throws is not called
     * again.
     */
    public Launch onStderr(Consumer<String> listener) {
        Settings changed = settings.copy();
        changed.stderrListener = Objects.requireNonNull(listener);
        return new Launch(changed);
    }

    /**
     * Returns this launch with a listener for the bytes of the agent's standard output, before they are parsed: only
     * here are blank lines, line ends and text between messages visible. It is called on the thread that reads, so a
     * slow listener blocks reading. The agent's responses may contain secrets.
     */
    public Launch onStdout(Consumer<byte[]> listener) {
        Settings changed = settings.copy();
        changed.stdoutListener = Objects.requireNonNull(listener);
        return new Launch(changed);
    }

    /**
     * Returns this launch with other timeouts for ending the agent. Both are 2 seconds by default.
     *
     * @param patience the timeout for the agent to exit after its standard input was closed
     * @param mercy the timeout after it was asked to terminate; then it is killed
     */
    public Launch shutdownTimes(Duration patience, Duration mercy) {
        if (patience.isNegative() || mercy.isNegative()) {
            throw new IllegalArgumentException("patience and mercy must not be negative");
        }
        Settings changed = settings.copy();
        changed.patience = patience;
        changed.mercy = mercy;
        return new Launch(changed);
    }

    /** Returns this launch with another size limit for a message, in bytes; the default is 64 MiB. */
    public Launch messageBytes(int limit) {
        if (limit <= 0) {
            throw new IllegalArgumentException("the largest message must be positive, got " + limit);
        }
        Settings changed = settings.copy();
        changed.messageBytes = limit;
        return new Launch(changed);
    }

    /**
     * Returns this launch of a program that ends with all that it has started even when this program is killed, on
     * Linux; and its daemons end with it. For programs that may start others and are not agents, such as MCP servers.
     * An agent ends by itself when its input ends.
     */
    public Launch endWhenKilled() {
        Settings changed = settings.copy();
        changed.isWatched = true;
        return new Launch(changed);
    }

    /** Returns the command, unchanged. */
    public String command() {
        return settings.command;
    }

    /** Returns the arguments, unchanged. */
    public List<String> arguments() {
        return settings.arguments;
    }

    /** Returns the variables that are set here, values included, without those that are inherited. */
    public Map<String, String> declared() {
        return settings.environment;
    }

    /** Returns the working directory, or null for that of this program. */
    public @Nullable Path cwd() {
        return settings.cwd;
    }

    /** Returns the command in one line for people to read; values of arguments named like secrets are omitted. */
    public String commandLine() {
        return CommandLine.text(settings.command, redaction().redact(settings.arguments));
    }

    /** Returns a text of the agent without secrets, including the secrets of its environment. */
    public String withoutSecrets(String text) {
        return redaction().redact(text);
    }

    /** Returns the redaction that hides secrets, including the secrets of the agent's environment. */
    public Redaction redaction() {
        Redaction known = redaction;
        if (known == null) {
            known = Redaction.SECRETS.and(environment());
            redaction = known;
        }
        return known;
    }

    /**
     * Starts the agent. Returns as soon as the process exists, before the agent has responded.
     *
     * @throws LaunchException if the command is missing or cannot be run; the message gives the next step
     * @throws InterruptedException if the thread is interrupted; no process remains
     */
    public LaunchedProcess start() throws IOException, InterruptedException {
        return start(null);
    }

    /**
     * Starts a program that is no agent and frames its messages in another way, such as a language server; otherwise
     * like {@link #start()}.
     *
     * @throws LaunchException if the command is missing or cannot be run; the message gives the next step
     * @throws InterruptedException if the thread is interrupted; no process remains
     */
    public LaunchedProcess startFramed(Framing framing) throws IOException, InterruptedException {
        return start(Objects.requireNonNull(framing));
    }

    private LaunchedProcess start(@Nullable Framing framing) throws IOException, InterruptedException {
        ProcessTree tree = startTree();
        LaunchedProcess agent = LaunchedProcess.attach(this, tree, framing);
        if (Thread.interrupted()) {
            tree.end(Duration.ZERO, Duration.ZERO);
            agent.close();
            throw new InterruptedException("interrupted while starting " + settings.command);
        }
        return agent;
    }

    /**
     * Starts the command. The caller owns its streams and ends it: nothing is read or written here. The caller must
     * read standard error as well, or the process may block on a full pipe.
     *
     * @throws LaunchException if the command is missing or cannot be run; the message gives the next step
     * @throws InterruptedException if the thread is interrupted before the process exists
     */
    public ProcessTree startTree() throws IOException, InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before starting " + settings.command);
        }
        ProcessBuilder builder = prepare();
        try {
            return settings.isWatched ? ProcessTree.startCommand(builder) : ProcessTree.startFile(builder);
        } catch (IOException e) {
            String reason = CommandLookup.explain(Path.of(builder.command().get(0)), e);
            throw new LaunchException("cannot start " + settings.command + ": " + reason, e);
        }
    }

    /**
     * Checks that {@link #start} would find the working directory and the program, in the search path of the user's
     * shell, too, and starts neither.
     *
     * @throws LaunchException if one of them is missing; the message gives the next step
     * @throws InterruptedException if the thread is interrupted while the shell is asked
     */
    public void resolve() throws LaunchException, InterruptedException {
        ProcessBuilder unused = prepare();
    }

    /**
     * Returns the file to start, looked up in the search path of the agent's environment or, if it has none, in that of
     * this program. {@link #start} and {@link #resolve} also ask the user's shell if the file is not found there.
     *
     * @throws LaunchException if the command is missing or cannot be run; the message gives the next step
     */
    public Path program() throws LaunchException {
        return Path.of(line(environment()).get(0));
    }

    private List<String> line(Map<String, String> environment) throws LaunchException {
        return CommandLookup.in(environment).line(settings.command, settings.arguments, HERE);
    }

    private ProcessBuilder prepare() throws LaunchException, InterruptedException {
        checkDirectory();
        Map<String, String> environment = environment();
        List<String> line;
        try {
            line = line(environment);
        } catch (LaunchException e) {
            String path = settings.environment.containsKey("PATH") ? null : LoginShell.searchPath(environment);
            if (path == null) {
                throw e;
            }
            environment.put("PATH", path);
            line = line(environment);
        }
        ProcessBuilder builder = new ProcessBuilder(line);
        builder.environment().clear();
        builder.environment().putAll(environment);
        if (settings.cwd != null) {
            builder.directory(settings.cwd.toFile());
        }
        return builder;
    }

    private void checkDirectory() throws LaunchException {
        Path cwd = settings.cwd;
        if (cwd != null && !Files.isDirectory(cwd)) {
            String what = Files.exists(cwd) ? " is not a directory" : " does not exist";
            throw new LaunchException("cannot start " + settings.command + ": the working directory "
                    + cwd.toAbsolutePath() + what + ".");
        }
    }

    /**
     * Returns the environment of the agent, values included. Commands run on behalf of the agent must get the same
     * environment: any other could show the agent variables that were withheld from it.
     */
    public Map<String, String> environment() {
        Map<String, String> environment = new TreeMap<>(settings.inherited.select(System.getenv()));
        environment.putAll(settings.environment);
        return environment;
    }

    /** Returns the report of a start that failed. */
    public FailureReport report(IOException failure) {
        return FailureReport.of(FailureReport.STARTING, commandLine()).withProblem(failure.getMessage());
    }

    /**
     * Returns the variables of this program's environment that the agent does not inherit and that the text mentions.
     */
    public List<String> withheldVariablesIn(String text) {
        List<String> mentioned = new ArrayList<>();
        for (String name : settings.inherited.withheld(System.getenv())) {
            if (!settings.environment.containsKey(name) && containsWord(text, name)) {
                mentioned.add(name);
            }
        }
        return mentioned;
    }

    private static boolean containsWord(String text, String word) {
        int at = text.indexOf(word);
        while (at >= 0) {
            int end = at + word.length();
            boolean startsHere = at == 0 || !Character.isJavaIdentifierPart(text.charAt(at - 1));
            boolean endsHere = end == text.length() || !Character.isJavaIdentifierPart(text.charAt(end));
            if (startsHere && endsHere) {
                return true;
            }
            at = text.indexOf(word, end);
        }
        return false;
    }

    @Nullable
    Consumer<String> stderrListener() {
        return settings.stderrListener;
    }

    @Nullable
    Consumer<byte[]> stdoutListener() {
        return settings.stdoutListener;
    }

    Duration patience() {
        return settings.patience;
    }

    Duration mercy() {
        return settings.mercy;
    }

    int messageBytes() {
        return settings.messageBytes;
    }

    /** Returns the command line, the directory and the names of the variables set here, without their values. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("Launch[").append(commandLine());
        if (settings.cwd != null) {
            text.append(", cwd=").append(settings.cwd);
        }
        if (!settings.environment.isEmpty()) {
            text.append(", env=").append(settings.environment.keySet());
        }
        return text.append(']').toString();
    }
}
