package dev.acp4j.proxies;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.Hop;
import dev.acp4j.proxy.Neighbour;
import dev.acp4j.proxy.NotificationHop;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RequestHop;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Gives the agent placeholders in the place of secrets, and puts the secrets in again where the agent writes the
 * placeholders: into files, commands and answers.
 *
 * <pre>{@code
 * Proxy redact = SecretPlaceholders.of(Redaction.SECRETS.and(System.getenv()));
 * }</pre>
 *
 * <p>What goes to the agent is searched where texts stand: prompts and instructions, embedded and read files, output of
 * terminals, answers to forms, titles and descriptions, errors; of MCP servers that pass as {@code mcp/message} all of
 * their results, errors and reports; and all texts of methods that begin with an underscore. Ids, paths, addresses and
 * Base64 stay. A placeholder is the same for the same secret as long as the connection is there, and is found also if
 * the agent cuts it into chunks. The secrets are kept in memory only, until the connection has ended; a connection has
 * at most 10,000, and a message with more is refused.
 *
 * <p>A message whose search takes longer than 30 seconds does not pass: a request fails, a notification is dropped.
 *
 * <p>Next edit suggestions do not pass: placeholders have other lengths than the secrets, so that positions in the
 * agent's copy of a document are not those of the client's. The agent's capability {@code nes} is removed, which is
 * reported; requests of {@code nes} are refused, and what is reported of documents is dropped.
 *
 * <p>What a {@link Redaction} finds in conversations is found here: values that are known, and forms of well-known keys
 * and tokens. What an agent reads by itself does not pass here.
 */
@Unstable
public final class SecretPlaceholders {
    private static final String INITIALIZE = "initialize";
    private static final String PROMPT = "session/prompt";
    private static final String MCP = "mcp/message";
    private static final String NES = "nes";

    /** Requests whose answers end a replay, or the session. */
    private static final Set<String> ENDS = Set.of("session/load", "session/resume", "session/close", "session/delete");

    private static final int MOST = 10_000;
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Search search;
    private final Consumer<String> onNotice;

    /** Guards the tables; nothing else happens while it is held. */
    private final ReentrantLock lock = new ReentrantLock();

    /** By the agent of each connection; gone with the connection. */
    @GuardedBy("lock")
    private final Map<Neighbour, Table> tables = new WeakHashMap<>();

    /** Changes a text. */
    @FunctionalInterface
    private interface Change {
        String of(String text) throws InterruptedException;
    }

    /** Returns a text with something else in the place of each secret. */
    @FunctionalInterface
    interface Search {
        String replace(String text, UnaryOperator<String> other);
    }

    private SecretPlaceholders(Search search, Consumer<String> onNotice) {
        this.search = search;
        this.onNotice = onNotice;
    }

    /**
     * Returns a proxy that gives placeholders.
     *
     * @param redaction says what a secret is
     */
    public static Proxy of(Redaction redaction) {
        return of(redaction, Notices::log);
    }

    /**
     * Returns a proxy that gives placeholders.
     *
     * @param redaction says what a secret is
     * @param onNotice takes what a user should know, a sentence each, such as a capability that is removed
     */
    public static Proxy of(Redaction redaction, Consumer<String> onNotice) {
        return of(redaction::replace, onNotice, LONGEST);
    }

    /** @param longest how long the search of a message may take */
    static Proxy of(Search search, Consumer<String> onNotice, Duration longest) {
        return new SecretPlaceholders(search, Objects.requireNonNull(onNotice)).proxy(longest);
    }

    private Proxy proxy(Duration longest) {
        return Proxy.builder("redact", "1")
                .filter()
                .patience(longest.dividedBy(3), longest)
                .onRequests(Method.Side.AGENT, method -> true, this::toAgent)
                .onNotifications(
                        Method.Side.AGENT,
                        method -> !isOfSuggestions(method),
                        (params, hop) -> hop.forward(hidden(params, hop)))
                .onNotifications(Method.Side.AGENT, SecretPlaceholders::isOfSuggestions, (params, hop) -> {})
                .onRequests(Method.Side.CLIENT, method -> true, this::toClient)
                .onNotifications(Method.Side.CLIENT, method -> true, (params, hop) -> hop.forward(shown(params, hop)))
                // Before the one above, which sees what it passes on.
                .onNotification(ClientMethods.UPDATE, this::joined)
                .build();
    }

    private static boolean isOfSuggestions(String method) {
        return method.startsWith("nes/") || method.startsWith("document/");
    }

    private Answer<RawJson> toAgent(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        if (isOfSuggestions(hop.method())) {
            throw new RpcError(
                    RpcError.METHOD_NOT_FOUND,
                    hop.method() + " does not pass the proxy redact: with placeholders for secrets, positions in"
                            + " documents are not the client's; do without one of the two");
        }
        Table table = table(hop);
        Answer<RawJson> answer = hop.forward(hidden(params, hop));
        boolean isEnd = ENDS.contains(hop.method()) || (hop.method().equals(PROMPT) && hop.version() == Version.V1);
        SessionNotification waits = isEnd ? hop.session().map(table::ended).orElse(null) : null;
        if (waits != null) {
            hop.client().send(ClientMethods.UPDATE, waits);
        }
        return changed(hop.method().equals(INITIALIZE) ? withoutSuggestions(answer) : answer, table::show, Texts.ALL);
    }

    private Answer<RawJson> withoutSuggestions(Answer<RawJson> answer) {
        for (String all : answer.isError() ? List.<String>of() : List.of("agentCapabilities", "capabilities")) {
            RawJson capabilities = Members.get(answer.result(), all);
            if (capabilities != null && Members.get(capabilities, NES) != null) {
                onNotice.accept("The agent offers next edit suggestions, and the client cannot have them with redact:"
                        + " placeholders have other lengths than secrets, so edits would be at wrong places.");
                return answer.with(Members.with(answer.result(), all, Members.with(capabilities, NES, null)));
            }
        }
        return answer;
    }

    private Answer<RawJson> toClient(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        Answer<RawJson> answer = hop.forward(shown(params, hop));
        return changed(
                answer,
                table(hop)::hide,
                switch (hop.method()) {
                    case "elicitation/create" -> Texts.ALL;
                    case MCP -> Texts.MCP_RESULT;
                    default -> Texts.of(hop.method());
                });
    }

    /** Returns an answer with other texts. Those of an error are its sentence and all of its data. */
    private static Answer<RawJson> changed(Answer<RawJson> answer, Change change, Texts texts)
            throws InterruptedException {
        if (!answer.isError()) {
            return answer.with(copy(answer.result(), change, texts));
        }
        RpcError error = answer.error();
        String message = change.of(error.message());
        RawJson came = error.data().orElse(null);
        RawJson data = came == null ? null : copy(came, change, Texts.ALL);
        if (message.equals(error.message()) && Objects.equals(data, came)) {
            return answer;
        }
        throw new RpcError(error.code(), message, data);
    }

    private RawJson hidden(RawJson params, Hop hop) throws InterruptedException {
        return copy(params, table(hop)::hide, hop.method().equals(MCP) ? Texts.MCP_REPORT : Texts.of(hop.method()));
    }

    private RawJson shown(RawJson params, Hop hop) throws InterruptedException {
        return copy(params, table(hop)::show, Texts.ALL);
    }

    /** Passes a chunk without what may be the beginning of a placeholder; that is a part of the next one. */
    private void joined(SessionNotification said, NotificationHop<SessionNotification> hop)
            throws InterruptedException {
        Table table = table(hop);
        Chunk chunk = Chunk.of(said);
        SessionNotification waits = table.waiting(said.sessionId());
        if (waits != null && (chunk == null || !chunk.continues(Objects.requireNonNull(Chunk.of(waits))))) {
            table.hold(said.sessionId(), null);
            hop.forward(waits);
            waits = null;
        }
        if (chunk == null) {
            hop.forward();
            return;
        }
        String before =
                waits == null ? "" : Objects.requireNonNull(Chunk.of(waits)).text();
        String text = before + chunk.text();
        int end = table.beginning(text);
        table.hold(said.sessionId(), end == text.length() ? null : chunk.with(said, text.substring(end)));
        if (end > 0 || text.isEmpty()) {
            hop.forward(
                    end == chunk.text().length() && before.isEmpty() ? said : chunk.with(said, text.substring(0, end)));
        }
    }

    private Table table(Hop hop) {
        lock.lock();
        try {
            return tables.computeIfAbsent(hop.agent(), agent -> new Table(search));
        } finally {
            lock.unlock();
        }
    }

    /** Which members are texts, or lists of them, by their names. */
    private enum Texts {
        ALL,
        /** Messages of the protocol. */
        ACP {
            @Override
            boolean contains(String member) {
                return NAMES.contains(member);
            }
        },
        /** Answers of MCP servers: a member of structured content, and of an error, can have any name. */
        MCP_RESULT {
            @Override
            boolean contains(String member) {
                return !Set.of("uri", "data", "blob").contains(member);
            }

            @Override
            Texts inside(String member) {
                return member.equals("structuredContent") || member.equals("error") ? ALL : this;
            }
        },
        /** Reports of MCP servers, such as progress. */
        MCP_REPORT {
            @Override
            boolean contains(String member) {
                return !Set.of("serverId", "requestId", "method", "progressToken", "uri")
                        .contains(member);
            }
        };

        /** The members of the protocol with texts that may go to an agent. */
        static final Set<String> NAMES = Set.of("text", "content", "output", "title", "description");

        /** Returns the texts of a method: those of the protocol are known, of others each can be one. */
        static Texts of(String method) {
            return method.startsWith("_") ? ALL : ACP;
        }

        boolean contains(String member) {
            return true;
        }

        /** Returns which members are texts inside of one. */
        Texts inside(String member) {
            return this;
        }
    }

    /** Returns JSON with other texts; the same object if none differs. */
    private static RawJson copy(RawJson value, Change change, Texts texts) throws InterruptedException {
        JsonWriter out = new JsonWriter(value.length() + 64);
        return copy(value.reader(), out, change, texts, texts == Texts.ALL) ? out.toRawJson() : value;
    }

    private static boolean copy(JsonReader in, JsonWriter out, Change change, Texts texts, boolean isText)
            throws InterruptedException {
        boolean isChanged = false;
        switch (in.kind()) {
            case OBJECT -> {
                in.beginObject();
                out.beginObject();
                while (in.nextMember()) {
                    String name = in.name();
                    out.name(name);
                    isChanged |= copy(in, out, change, texts.inside(name), texts.contains(name));
                }
                out.endObject();
            }
            case ARRAY -> {
                in.beginArray();
                out.beginArray();
                while (in.nextElement()) {
                    isChanged |= copy(in, out, change, texts, isText);
                }
                out.endArray();
            }
            case STRING -> {
                RawJson raw = in.raw();
                String came = raw.reader().string();
                String text = isText ? change.of(came) : came;
                isChanged = !text.equals(came);
                out.raw(isChanged ? RawJson.string(text) : raw);
            }
            default -> out.raw(in.raw());
        }
        return isChanged;
    }

    /**
     * A piece of a text that comes in pieces.
     *
     * @param kind the kind of the update
     * @param of the message or the call of a tool that it is a piece of; null if that is not said
     */
    private record Chunk(Class<?> kind, @Nullable Object of, ContentBlock.Text content) {
        static @Nullable Chunk of(SessionNotification said) {
            SessionUpdate update = said.update();
            if (update instanceof SessionUpdate.Chunk chunk && chunk.content() instanceof ContentBlock.Text text) {
                return new Chunk(update.getClass(), chunk.messageId(), text);
            }
            if (update instanceof SessionUpdate.ToolCallContentChunk chunk
                    && chunk.content() instanceof ToolCallContent.Content content
                    && content.content() instanceof ContentBlock.Text text) {
                return new Chunk(update.getClass(), chunk.toolCallId(), text);
            }
            return null;
        }

        String text() {
            return content.text();
        }

        boolean continues(Chunk before) {
            return kind.equals(before.kind) && Objects.equals(of, before.of);
        }

        SessionNotification with(SessionNotification said, String other) {
            ContentBlock.Text text = new ContentBlock.Text(other, content.annotations(), content.rest());
            SessionUpdate update = switch (said.update()) {
                case SessionUpdate.AgentMessageChunk chunk ->
                    new SessionUpdate.AgentMessageChunk(text, chunk.messageId(), chunk.rest());
                case SessionUpdate.AgentThoughtChunk chunk ->
                    new SessionUpdate.AgentThoughtChunk(text, chunk.messageId(), chunk.rest());
                case SessionUpdate.UserMessageChunk chunk ->
                    new SessionUpdate.UserMessageChunk(text, chunk.messageId(), chunk.rest());
                case SessionUpdate.ToolCallContentChunk chunk ->
                    new SessionUpdate.ToolCallContentChunk(
                            chunk.toolCallId(),
                            new ToolCallContent.Content(text, ((ToolCallContent.Content) chunk.content()).rest()),
                            chunk.rest());
                default -> throw new IllegalStateException("no chunk: " + said);
            };
            return new SessionNotification(said.sessionId(), update, said.rest());
        }
    }

    /** The placeholders of a connection. */
    private static final class Table {
        private final Search search;
        private final String start;
        private final Pattern placeholder;

        /** Guards the placeholders and what waits; nothing else happens while it is held. */
        private final ReentrantLock lock = new ReentrantLock();

        @GuardedBy("lock")
        private final Map<String, String> bySecret = new HashMap<>();

        @GuardedBy("lock")
        private final Map<String, String> byPlaceholder = new HashMap<>();

        /** The beginnings of placeholders at the ends of chunks, by session. */
        @GuardedBy("lock")
        private final Map<SessionId, SessionNotification> waiting = new HashMap<>();

        Table(Search search) {
            this.search = search;
            byte[] own = new byte[4];
            RANDOM.nextBytes(own);
            this.start = "{{secret-" + HexFormat.of().formatHex(own) + "-";
            this.placeholder = Pattern.compile(Pattern.quote(start) + "\\d+}}");
        }

        /** @throws InterruptedException when that has taken too long, or the message was cancelled */
        String hide(String text) throws InterruptedException {
            String hidden = search.replace(text, this::placeholder);
            if (Thread.interrupted()) {
                throw new InterruptedException("the search for secrets was ended");
            }
            return hidden;
        }

        private String placeholder(String secret) {
            lock.lock();
            try {
                String known = bySecret.get(secret);
                // A placeholder that looks like a secret is none.
                if (known != null || byPlaceholder.containsKey(secret)) {
                    return known == null ? secret : known;
                }
                if (bySecret.size() == MOST) {
                    throw new RpcError(
                            RpcError.INTERNAL_ERROR,
                            "The proxy redact keeps at most " + MOST + " secrets of a connection, and here are more:"
                                    + " the message was not passed on. Connect anew, or leave the file out.");
                }
                String made = start + bySecret.size() + "}}";
                bySecret.put(secret, made);
                byPlaceholder.put(made, secret);
                return made;
            } finally {
                lock.unlock();
            }
        }

        String show(String text) {
            return text.contains(start) ? placeholder.matcher(text).replaceAll(this::secret) : text;
        }

        private String secret(MatchResult found) {
            lock.lock();
            try {
                return Matcher.quoteReplacement(byPlaceholder.getOrDefault(found.group(), found.group()));
            } finally {
                lock.unlock();
            }
        }

        /** Returns where a placeholder begins at the end of a text; the length of the text if none does. */
        int beginning(String text) {
            int at = text.lastIndexOf("{{");
            if (at >= 0) {
                String tail = text.substring(at);
                boolean isOpen = tail.startsWith(start)
                        && tail.length() < start.length() + 8
                        && tail.substring(start.length()).matches("\\d*}?");
                return start.startsWith(tail) || isOpen ? at : text.length();
            }
            return text.endsWith("{") ? text.length() - 1 : text.length();
        }

        @Nullable
        SessionNotification waiting(SessionId session) {
            lock.lock();
            try {
                return waiting.get(session);
            } finally {
                lock.unlock();
            }
        }

        void hold(SessionId session, @Nullable SessionNotification beginning) {
            lock.lock();
            try {
                if (beginning == null) {
                    waiting.remove(session);
                } else {
                    waiting.put(session, beginning);
                }
            } finally {
                lock.unlock();
            }
        }

        /** Returns what waits in a session, and does not any more. */
        @Nullable
        SessionNotification ended(SessionId session) {
            lock.lock();
            try {
                return waiting.remove(session);
            } finally {
                lock.unlock();
            }
        }
    }
}
