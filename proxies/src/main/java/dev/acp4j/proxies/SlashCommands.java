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
import dev.acp4j.schema.Version;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Adds slash commands to those of the agent, in each list that it sends; a name that the agent has stays the agent's. A
 * prompt that begins with one of them is replaced by what the command makes of it.
 */
final class SlashCommands {
    private final Function<@Nullable Path, List<SlashCommand>> source;
    private final SessionState<Commands> commands =
            SessionState.of(opening -> new Commands(Sessions.cwd(opening.params())));

    /**
     * @param source returns the commands of sessions in a folder, of which later ones win; called for each list and
     *     prompt
     */
    SlashCommands(Function<@Nullable Path, List<SlashCommand>> source) {
        this.source = source;
    }

    /** Has a proxy list the commands, and expand the prompts that name one. */
    Proxy.Builder addTo(Proxy.Builder proxy) {
        return proxy.state(commands)
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
                .onPrompt((prompt, hop) -> hop.forward(expanded(prompt, hop)));
    }

    /** Returns the commands of an answer with those that are added: a list in version 2, where the answer has one. */
    private List<AvailableCommand> merged(
            List<AvailableCommand> own, SessionId session, @Nullable Path cwd, RequestHop<?, ?> hop) {
        hop.afterAnswer(() -> {
            List<AvailableCommand> unused = hop.state(session, commands).merged(own);
        });
        return new Commands(cwd).merged(own);
    }

    /** The session is open: the client gets the commands, with those of the agent if it has named any. */
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
        SlashCommand command = hop.state(commands).find(line.substring(0, end));
        if (command == null) {
            return prompt;
        }
        List<ContentBlock> blocks = new ArrayList<>(prompt.prompt());
        String arguments = line.substring(end).strip();
        blocks.set(0, new ContentBlock.Text(command.prompt().apply(arguments), text.annotations(), text.rest()));
        return new PromptRequest(prompt.sessionId(), blocks, prompt.rest());
    }

    /** The commands of a session. Both directions use it; the lock guards what the agent has named. */
    private final class Commands {
        private final @Nullable Path cwd;
        private final ReentrantLock lock = new ReentrantLock();

        @GuardedBy("lock")
        private List<AvailableCommand> ofAgent = List.of();

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
            for (SlashCommand added : added().values()) {
                var command = AvailableCommand.builder(added.name(), added.description());
                all.add(
                        added.hint() == null
                                ? command.build()
                                : command.input(AvailableCommandInput.Unstructured.of(added.hint()))
                                        .build());
            }
            return all;
        }

        @Nullable
        SlashCommand find(String name) {
            return added().get(name);
        }

        private List<AvailableCommand> ofAgent() {
            lock.lock();
            try {
                return ofAgent;
            } finally {
                lock.unlock();
            }
        }

        /** Returns the commands by their names, without those of the agent. */
        private Map<String, SlashCommand> added() {
            Map<String, SlashCommand> found = new TreeMap<>();
            source.apply(cwd).forEach(command -> found.put(command.name(), command));
            ofAgent().forEach(own -> found.remove(own.name()));
            return found;
        }
    }
}
