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
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.Unstable;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;
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
 * terminals, answers to forms, errors; of MCP servers that pass as {@code mcp/message} all of their results, errors and
 * reports. Ids, paths, addresses and Base64 stay. A placeholder is the same for the same secret as long as the
 * connection is there, and is found also if the agent cuts it into chunks. The secrets are kept in memory only, until
 * the connection has ended.
 *
 * <p>What a {@link Redaction} finds in conversations is found here: values that are known, and forms of well-known keys
 * and tokens. What an agent reads by itself does not pass here.
 */
@Unstable
public final class SecretPlaceholders {
    private static final String MCP = "mcp/message";
    private static final int MOST = 10_000;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Redaction redaction;

    /** Guards the tables; nothing else happens while it is held. */
    private final ReentrantLock lock = new ReentrantLock();

    /** By the agent of each connection; gone with the connection. */
    @GuardedBy("lock")
    private final Map<Neighbour, Table> tables = new WeakHashMap<>();

    private SecretPlaceholders(Redaction redaction) {
        this.redaction = redaction;
    }

    /**
     * Returns a proxy that gives placeholders.
     *
     * @param redaction says what a secret is
     */
    public static Proxy of(Redaction redaction) {
        return new SecretPlaceholders(Objects.requireNonNull(redaction)).proxy();
    }

    private Proxy proxy() {
        return Proxy.builder("redact", "1")
                .filter()
                .onRequests(Method.Side.AGENT, method -> true, this::toAgent)
                .onNotifications(Method.Side.AGENT, method -> true, (params, hop) -> hop.forward(hidden(params, hop)))
                .onRequests(Method.Side.CLIENT, method -> true, this::toClient)
                .onNotifications(Method.Side.CLIENT, method -> true, (params, hop) -> hop.forward(shown(params, hop)))
                // Before the one above, which sees what it passes on.
                .onNotification(ClientMethods.UPDATE, this::joined)
                .build();
    }

    private Answer<RawJson> toAgent(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        Table table = table(hop);
        Answer<RawJson> answer = hop.forward(hidden(params, hop));
        SessionNotification waits = hop.session().map(table::ended).orElse(null);
        if (waits != null) {
            hop.client().send(ClientMethods.UPDATE, waits);
        }
        return changed(answer, table::show, Texts.ALL);
    }

    private Answer<RawJson> toClient(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        Answer<RawJson> answer = hop.forward(shown(params, hop));
        return changed(
                answer,
                table(hop)::hide,
                switch (hop.method()) {
                    case "elicitation/create" -> Texts.ALL;
                    case MCP -> Texts.MCP_RESULT;
                    default -> Texts.ACP;
                });
    }

    /** Returns an answer with other texts. Those of an error are its sentence and all of its data. */
    private static Answer<RawJson> changed(Answer<RawJson> answer, UnaryOperator<String> change, Texts texts) {
        if (!answer.isError()) {
            return answer.with(copy(answer.result(), change, texts));
        }
        RpcError error = answer.error();
        String message = change.apply(error.message());
        RawJson came = error.data().orElse(null);
        RawJson data = came == null ? null : copy(came, change, Texts.ALL);
        if (message.equals(error.message()) && Objects.equals(data, came)) {
            return answer;
        }
        throw new RpcError(error.code(), message, data);
    }

    private RawJson hidden(RawJson params, Hop hop) {
        return copy(params, table(hop)::hide, hop.method().equals(MCP) ? Texts.MCP_REPORT : Texts.ACP);
    }

    private RawJson shown(RawJson params, Hop hop) {
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
        String before = waits == null ? "" : Objects.requireNonNull(Chunk.of(waits)).text;
        String text = before + chunk.text;
        int end = table.beginning(text);
        table.hold(said.sessionId(), end == text.length() ? null : chunk.with(said, text.substring(end)));
        if (end > 0 || text.isEmpty()) {
            hop.forward(
                    end == chunk.text.length() && before.isEmpty() ? said : chunk.with(said, text.substring(0, end)));
        }
    }

    private Table table(Hop hop) {
        lock.lock();
        try {
            return tables.computeIfAbsent(hop.agent(), agent -> new Table(redaction));
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
                return Set.of("text", "content", "output").contains(member);
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

        boolean contains(String member) {
            return true;
        }

        /** Returns which members are texts inside of one. */
        Texts inside(String member) {
            return this;
        }
    }

    /** Returns JSON with other texts; the same object if none differs. */
    private static RawJson copy(RawJson value, UnaryOperator<String> change, Texts texts) {
        JsonWriter out = new JsonWriter(value.length() + 64);
        return copy(value.reader(), out, change, texts, texts == Texts.ALL) ? out.toRawJson() : value;
    }

    private static boolean copy(
            JsonReader in, JsonWriter out, UnaryOperator<String> change, Texts texts, boolean isText) {
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
                String text = isText ? change.apply(came) : came;
                isChanged = !text.equals(came);
                out.raw(isChanged ? RawJson.string(text) : raw);
            }
            default -> out.raw(in.raw());
        }
        return isChanged;
    }

    /** A piece of what the agent says or thinks. */
    private record Chunk(boolean isThought, @Nullable MessageId message, String text) {
        static @Nullable Chunk of(SessionNotification said) {
            if (said.update() instanceof SessionUpdate.AgentMessageChunk chunk
                    && chunk.content() instanceof ContentBlock.Text text) {
                return new Chunk(false, chunk.messageId(), text.text());
            }
            if (said.update() instanceof SessionUpdate.AgentThoughtChunk chunk
                    && chunk.content() instanceof ContentBlock.Text text) {
                return new Chunk(true, chunk.messageId(), text.text());
            }
            return null;
        }

        boolean continues(Chunk before) {
            return isThought == before.isThought && Objects.equals(message, before.message);
        }

        SessionNotification with(SessionNotification said, String other) {
            SessionUpdate update = said.update();
            if (update instanceof SessionUpdate.AgentMessageChunk chunk) {
                update = new SessionUpdate.AgentMessageChunk(content(chunk.content(), other), message, chunk.rest());
            } else if (update instanceof SessionUpdate.AgentThoughtChunk chunk) {
                update = new SessionUpdate.AgentThoughtChunk(content(chunk.content(), other), message, chunk.rest());
            }
            return new SessionNotification(said.sessionId(), update, said.rest());
        }

        private static ContentBlock content(ContentBlock block, String other) {
            return block instanceof ContentBlock.Text text
                    ? new ContentBlock.Text(other, text.annotations(), text.rest())
                    : block;
        }
    }

    /** The placeholders of a connection. */
    private static final class Table {
        private final Redaction redaction;
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

        Table(Redaction redaction) {
            this.redaction = redaction;
            byte[] own = new byte[4];
            RANDOM.nextBytes(own);
            this.start = "{{secret-" + HexFormat.of().formatHex(own) + "-";
            this.placeholder = Pattern.compile(Pattern.quote(start) + "\\d+}}");
        }

        String hide(String text) {
            return redaction.replace(text, this::placeholder);
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
                    throw new IllegalStateException("there are more than " + MOST + " secrets");
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
