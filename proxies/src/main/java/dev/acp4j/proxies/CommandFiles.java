package dev.acp4j.proxies;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.Hop;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RequestHop;
import dev.acp4j.proxy.SessionState;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.AvailableCommandInput;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes slash commands of Markdown files.
 *
 * <pre>{@code
 * Proxy commands = CommandFiles.builder().folder(Path.of("/home/me/.config/acp/commands")).build();
 * }</pre>
 *
 * <p>A file {@code review.md} is the command {@code /review}. It may begin with {@code description} and
 * {@code argument-hint} between two lines of three dashes; the rest is the prompt, in which {@code $ARGUMENTS} is what
 * follows the command, and {@code $1} to {@code $9} are its words. Without these, what follows is added at the end. The
 * commands are added to the agent's own, in each list that it sends; a name that the agent has stays the agent's.
 *
 * <p>Files of a project do nothing before they are trusted, and again after each change.
 */
@Unstable
public final class CommandFiles {
    private final List<Path> folders;
    private final List<Path> ofProjects;
    private final Trust trust;
    private final Consumer<String> onNotice;
    private final SessionState<Commands> commands =
            SessionState.of(opening -> new Commands(Sessions.cwd(opening.params())));

    private CommandFiles(Builder builder) {
        folders = List.copyOf(builder.folders);
        ofProjects = List.copyOf(builder.ofProjects);
        trust = builder.trust;
        onNotice = builder.onNotice;
    }

    /** Begins a proxy. */
    public static Builder builder() {
        return new Builder();
    }

    private Proxy proxy() {
        return Proxy.builder("commands", "1")
                .state(commands)
                .onRequest(AgentMethods.NEW_SESSION, (params, hop) -> {
                    var answer = hop.forward();
                    if (answer.isError()) {
                        return answer;
                    }
                    var opened = answer.result();
                    Path cwd = Sessions.path(params.cwd());
                    return hop.version() == Version.V1
                            ? listed(answer, opened.sessionId(), hop)
                            : answer.with(opened.toBuilder()
                                    .availableCommands(merged(opened.availableCommands(), opened.sessionId(), cwd, hop))
                                    .build());
                })
                .onRequest(AgentMethods.RESUME_SESSION, (params, hop) -> {
                    var answer = hop.forward();
                    if (hop.version() == Version.V1 || answer.isError()) {
                        return listed(answer, params.sessionId(), hop);
                    }
                    var opened = answer.result();
                    Path cwd = Sessions.path(params.cwd());
                    return answer.with(opened.toBuilder()
                            .availableCommands(merged(opened.availableCommands(), params.sessionId(), cwd, hop))
                            .build());
                })
                .onRequests(
                        Method.Side.AGENT,
                        "session/load"::equals,
                        (params, hop) -> listed(hop.forward(), hop.session().orElseThrow(), hop))
                .onNotification(ClientMethods.UPDATE, (said, hop) -> {
                    if (said.update() instanceof SessionUpdate.AvailableCommandsUpdate own) {
                        Commands session = hop.state(commands);
                        hop.forward(new SessionNotification(
                                said.sessionId(),
                                new SessionUpdate.AvailableCommandsUpdate(
                                        session.merged(own.availableCommands()), own.rest()),
                                said.rest()));
                    } else {
                        hop.forward();
                    }
                })
                .onPrompt((prompt, hop) -> hop.forward(expanded(prompt, hop)))
                .build();
    }

    /** Returns the commands of an answer with those of the files: a list in version 2, where the answer has one. */
    private List<AvailableCommand> merged(
            List<AvailableCommand> own, SessionId session, @Nullable Path cwd, RequestHop<?, ?> hop) {
        hop.afterAnswer(() -> {
            List<AvailableCommand> unused = hop.state(session, commands).merged(own);
        });
        return new Commands(cwd).merged(own);
    }

    /** The session is open: the client is told the commands, with those of the agent if it has named any. */
    private <R> Answer<R> listed(Answer<R> answer, SessionId session, RequestHop<?, R> hop) {
        if (!answer.isError()) {
            hop.afterAnswer(() -> {
                try {
                    List<AvailableCommand> all = hop.state(session, commands).listed();
                    if (!all.isEmpty()) {
                        hop.client()
                                .send(
                                        ClientMethods.UPDATE,
                                        SessionNotification.of(session, SessionUpdate.AvailableCommandsUpdate.of(all)));
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } catch (RpcException e) {
                    // The client has gone.
                }
            });
        }
        return answer;
    }

    private PromptRequest expanded(PromptRequest prompt, Hop hop) {
        if (prompt.prompt().isEmpty()
                || !(prompt.prompt().get(0) instanceof ContentBlock.Text text)
                || !text.text().startsWith("/")) {
            return prompt;
        }
        String line = text.text().substring(1);
        int end = 0;
        while (end < line.length() && !Character.isWhitespace(line.charAt(end))) {
            end++;
        }
        CommandFile file = hop.state(commands).find(line.substring(0, end));
        if (file == null) {
            return prompt;
        }
        List<ContentBlock> blocks = new ArrayList<>(prompt.prompt());
        String arguments = line.substring(end).strip();
        blocks.set(0, new ContentBlock.Text(file.prompt(arguments), text.annotations(), text.rest()));
        return new PromptRequest(prompt.sessionId(), blocks, prompt.rest());
    }

    /** The commands of a session. Both directions use it; the lock guards what the agent has named. */
    private final class Commands {
        private final @Nullable Path cwd;
        private final ReentrantLock lock = new ReentrantLock();

        @GuardedBy("lock")
        private List<AvailableCommand> ofAgent = List.of();

        /** The files of which it was said that they are not trusted. */
        @GuardedBy("lock")
        private final Set<Path> said = new HashSet<>();

        Commands(@Nullable Path cwd) {
            this.cwd = cwd;
        }

        /** Returns the commands with those that the agent has now. */
        List<AvailableCommand> merged(List<AvailableCommand> own) {
            lock.lock();
            try {
                ofAgent = List.copyOf(own);
            } finally {
                lock.unlock();
            }
            return listed();
        }

        List<AvailableCommand> listed() {
            List<AvailableCommand> all = new ArrayList<>(ofAgent());
            for (CommandFile file : files().values()) {
                var command = AvailableCommand.builder(file.name(), file.description());
                all.add(
                        file.hint() == null
                                ? command.build()
                                : command.input(AvailableCommandInput.Unstructured.of(file.hint()))
                                        .build());
            }
            return all;
        }

        @Nullable
        CommandFile find(String name) {
            return files().get(name);
        }

        private List<AvailableCommand> ofAgent() {
            lock.lock();
            try {
                return ofAgent;
            } finally {
                lock.unlock();
            }
        }

        /** Returns the commands by their names, without those of the agent. Those of the project win. */
        private Map<String, CommandFile> files() {
            Map<String, CommandFile> found = CommandFile.in(folders, this::notice);
            if (cwd != null) {
                found.putAll(CommandFile.ofProject(cwd, ofProjects, trust, this::notTrusted, this::notice));
            }
            ofAgent().forEach(own -> found.remove(own.name()));
            return found;
        }

        private void notice(String sentence) {
            onNotice.accept(sentence);
        }

        private void notTrusted(Path file) {
            boolean isNew;
            lock.lock();
            try {
                isNew = said.add(file);
            } finally {
                lock.unlock();
            }
            if (isNew) {
                onNotice.accept("The command in " + file + " does nothing until you trust it.");
            }
        }
    }

    /** Builds a proxy of commands. */
    public static final class Builder {
        private final List<Path> folders = new ArrayList<>();
        private final List<Path> ofProjects = new ArrayList<>();
        private Trust trust = Trust.NOTHING;
        private Consumer<String> onNotice = Notices::log;

        private Builder() {}

        /** Adds a folder of the user's, whose files are read for each list and each prompt. */
        public Builder folder(Path folder) {
            folders.add(folder.toAbsolutePath());
            return this;
        }

        /**
         * Adds a folder of projects, which is looked for in the folder of each session.
         *
         * @throws IllegalArgumentException when it is not below that
         */
        public Builder ofProjects(String folder) {
            Path path = Path.of(folder).normalize();
            if (path.isAbsolute() || path.startsWith("..") || path.toString().isEmpty()) {
                throw new IllegalArgumentException("expected a folder below that of the session, got " + folder);
            }
            ofProjects.add(path);
            return this;
        }

        /** Sets which files of projects are trusted; by default none. */
        public Builder trust(Trust value) {
            trust = Objects.requireNonNull(value);
            return this;
        }

        /** Takes what a user should know, a sentence each, such as a file that is not trusted; logged by default. */
        public Builder onNotice(Consumer<String> listener) {
            onNotice = Objects.requireNonNull(listener);
            return this;
        }

        /**
         * Builds the proxy.
         *
         * @throws IllegalStateException without a folder
         */
        public Proxy build() {
            if (folders.isEmpty() && ofProjects.isEmpty()) {
                throw new IllegalStateException("expected at least one folder");
            }
            return new CommandFiles(this).proxy();
        }
    }
}
