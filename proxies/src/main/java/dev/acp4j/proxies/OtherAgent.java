package dev.acp4j.proxies;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Entry;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.SessionSetup;
import dev.acp4j.TokenUsage;
import dev.acp4j.Turn;
import dev.acp4j.TurnResult;
import dev.acp4j.process.Launch;
import dev.acp4j.proxy.Neighbour;
import dev.acp4j.rpc.Time;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Cost;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.RequestPermissionRequest;
import dev.acp4j.schema.RequestPermissionRequestV2;
import dev.acp4j.schema.RequestPermissionSubject;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.UsageUpdate;
import dev.acp4j.schema.Version;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * An agent beside that of the chain, as a program of its own, for one session of the client. It is offered no writing
 * and no terminals. Thread-safe.
 */
final class OtherAgent implements AutoCloseable {
    /** How much further agents may ask others; absent for the first. */
    static final String DEPTH = "ACP4J_ASK_DEPTH";

    private static final AtomicLong QUESTIONS = new AtomicLong();

    private final String name;
    private final ConnectedAgent connected;
    private final Set<Turn> running = ConcurrentHashMap.newKeySet();
    private final SessionTotal tokens = new SessionTotal(true);
    private final SessionTotal costs = new SessionTotal(true);

    /**
     * A program, and what it is called.
     *
     * @param name its name for the client and for the model
     * @param launch how it is started
     */
    record Program(String name, Launch launch) {
        /**
         * Makes it of what a user has set: without the variables by which the first agent reaches its model.
         *
         * @param variables those of this program that it gets
         */
        static Program of(String name, Launch launch, List<String> variables) {
            if (!name.matches("[A-Za-z0-9][A-Za-z0-9_-]*")) {
                throw new IllegalArgumentException("expected a name of letters, digits, - and _, got " + name);
            }
            return new Program(name, launch.inheritNoModelKeys().inherit(variables.toArray(String[]::new)));
        }
    }

    /**
     * The session of the client for which an agent is asked.
     *
     * @param client the client
     * @param id the session
     * @param version the version of the protocol that is spoken there
     */
    record For(Neighbour client, SessionId id, Version version) {}

    /** Takes what an agent does while it answers. */
    interface Watch {
        /** Whether it must not be asked any more. */
        default boolean isCancelled() {
            return false;
        }

        /** It begins to use a tool. */
        default void does(String title) throws InterruptedException {}

        /** It has used so many tokens in the turn that has ended. */
        default void tokens(long tokens) {}

        /** Its session has cost this so far. */
        default void costs(Cost cost) throws InterruptedException {}
    }

    /**
     * What an agent has answered.
     *
     * @param text its messages
     * @param time how long that took
     * @param tokens the tokens of this answer; null if they are not known
     * @param cost the cost of this answer; null if it is not known
     */
    record Reply(
            String text,
            StopReason stopReason,
            Duration time,
            @Nullable Long tokens,
            @Nullable Cost cost) {
        /** Returns time and use for people. */
        String use() {
            StringBuilder out = new StringBuilder();
            out.append(time.toMillis() < 10_000 ? time.toMillis() + " ms" : time.toSeconds() + " s");
            if (tokens != null) {
                out.append(String.format(", %,d tokens", tokens));
            }
            if (cost != null) {
                out.append(String.format(", %.2f %s", cost.amount(), cost.currency()));
            }
            return out.toString();
        }
    }

    private OtherAgent(String name, ConnectedAgent connected) {
        this.name = name;
        this.connected = connected;
    }

    /** Returns how deep others may still be asked from here, at most as deep as somebody says. */
    static int depth(int told, @Nullable String inherited) {
        if (inherited == null) {
            return told;
        }
        try {
            return Math.min(told, Integer.parseInt(inherited));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /**
     * Starts an agent.
     *
     * @param depth how deep it may ask others
     * @param questions answers its questions for permission
     * @param files reads files of the client; null if it is offered none
     */
    static OtherAgent start(
            Program program, int depth, Client.PermissionHandler questions, Client.@Nullable ReadTextFileHandler files)
            throws InterruptedException {
        Client.Builder client =
                Client.builder("acp4j", "1").protocol(Version.V1, Version.V2).onPermission(questions);
        if (files != null) {
            client.onReadTextFile(files);
        }
        return new OtherAgent(program.name, client.connect(program.launch.env(DEPTH, Integer.toString(depth))));
    }

    String name() {
        return name;
    }

    /** Opens a session. Files of the client, and no servers: these are for the first agent. */
    Session open(SessionSetup setup) throws InterruptedException {
        return connected.newSession(setup.withMcpServers(List.of()));
    }

    /**
     * Asks, and waits for the end of the turn. Interrupting the thread cancels it, and so does {@link #cancel}.
     *
     * @throws InterruptedException when interrupted
     * @throws IllegalStateException when it was cancelled before it was asked
     * @throws dev.acp4j.rpc.RpcException when the agent answers with an error, or is gone
     */
    Reply ask(Session session, List<ContentBlock> prompt, Watch watch) throws InterruptedException {
        if (watch.isCancelled()) {
            throw new IllegalStateException(name + " was cancelled before it was asked");
        }
        long begin = Time.SYSTEM.nanoTime();
        Turn turn = session.prompt(prompt);
        running.add(turn);
        if (watch.isCancelled()) {
            turn.cancel();
        }
        StringBuilder text = new StringBuilder();
        try (turn) {
            for (SessionEvent event : turn) {
                switch (event) {
                    case SessionEvent.Message piece -> {
                        if (piece.isFirst() && !text.isEmpty()) {
                            text.append("\n\n");
                        }
                        text.append(piece.text());
                    }
                    case SessionEvent.MessageChanged whole -> {
                        if (whole.message().author() == Entry.Message.Author.AGENT) {
                            text.append(text.isEmpty() ? "" : "\n\n")
                                    .append(whole.message().text());
                        }
                    }
                    case SessionEvent.ToolCallChanged call -> {
                        if (call.isNew()) {
                            watch.does(call.call().title());
                        }
                    }
                    case SessionEvent.UsageChanged use -> {
                        if (use.usage().cost() != null) {
                            watch.costs(use.usage().cost());
                        }
                    }
                    default -> {}
                }
            }
            TurnResult result = turn.result();
            Long used = tokens(result.usage().map(TokenUsage::total).orElse(null));
            if (used != null) {
                watch.tokens(used);
            }
            return new Reply(
                    text.toString(),
                    result.stopReason(),
                    Duration.ofNanos(Time.SYSTEM.nanoTime() - begin),
                    used,
                    cost(session.view().usage().map(UsageUpdate::cost).orElse(null)));
        } catch (java.util.concurrent.CancellationException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            throw e;
        } finally {
            running.remove(turn);
        }
    }

    /** Returns the tokens of a turn: in version 1 the agent reports those of its session. */
    private @Nullable Long tokens(@Nullable Long reported) {
        if (connected.protocolVersion() != 1) {
            return reported;
        }
        Double used = tokens.next(reported == null ? null : reported.doubleValue());
        return used == null ? null : used.longValue();
    }

    private @Nullable Cost cost(@Nullable Cost session) {
        Double used = costs.next(session == null ? null : session.amount());
        return session == null || used == null ? null : Cost.of(used, session.currency());
    }

    boolean isOpen() {
        return connected.isOpen();
    }

    /** Cancels what is asked now. */
    void cancel() {
        running.forEach(Turn::cancel);
    }

    /** Ends the program. */
    @Override
    public void close() {
        connected.close();
    }

    // ---- for the client of the chain

    /** Passes a question on to the client, with the name of the agent that asks. */
    static RequestPermissionOutcome ask(For session, String agent, PermissionQuestion question)
            throws InterruptedException {
        ToolCallUpdate call = toolCall(agent, question, session.version);
        List<PermissionOption> options = question.options();
        if (session.version == Version.V1) {
            return session.client
                    .call(ClientMethods.REQUEST_PERMISSION, RequestPermissionRequest.of(session.id, call, options))
                    .outcome();
        }
        return session.client
                .call(
                        ClientMethods.REQUEST_PERMISSION_V2,
                        RequestPermissionRequestV2.builder(session.id, agent + ": " + question.title(), options)
                                .description(question.description())
                                .subject(RequestPermissionSubject.ToolCall.of(call))
                                .build())
                .outcome();
    }

    private static ToolCallUpdate toolCall(String agent, PermissionQuestion question, Version version) {
        Entry.ToolCall call = question.toolCall();
        String id = agent + "-" + QUESTIONS.incrementAndGet();
        var update = ToolCallUpdate.builder(ToolCallId.of(id)).title(agent + ": " + question.title());
        if (call != null) {
            update.kind(call.kind())
                    .status(call.status())
                    .locations(call.locations())
                    .content(call.content().stream()
                            .filter(content -> isKnown(content, version))
                            .toList());
            if (call.rawInput() != null) {
                update.rawInput(call.rawInput());
            }
        }
        return update.build();
    }

    /** Whether the client can show it: the version has it, and it is no terminal of another session. */
    private static boolean isKnown(ToolCallContent content, Version version) {
        return switch (content) {
            case ToolCallContent.Content plain -> true;
            case ToolCallContent.Diff diff -> version == Version.V1;
            case ToolCallContent.Changes changes -> version == Version.V2;
            case ToolCallContent.Terminal terminal -> false;
            case ToolCallContent.Unknown unknown -> false;
        };
    }

    /** Returns what reads files as the client of the chain has them. */
    static Client.ReadTextFileHandler reading(For session) {
        return (own, request) -> session.client
                .call(
                        ClientMethods.READ_TEXT_FILE,
                        request.toBuilder().sessionId(session.id).build())
                .content();
    }
}
