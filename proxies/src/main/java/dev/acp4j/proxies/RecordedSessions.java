package dev.acp4j.proxies;

import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.Neighbour;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RequestHop;
import dev.acp4j.proxy.SessionState;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentCapabilities;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.DeleteSessionRequest;
import dev.acp4j.schema.DeleteSessionResponse;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.ListSessionsRequest;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.SessionCapabilities;
import dev.acp4j.schema.SessionDeleteCapabilities;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import dev.acp4j.schema.SessionListCapabilities;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import dev.acp4j.sessions.JsonLines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives {@code session/load}, and a list of sessions, to an agent that can only resume them: it keeps what it passes
 * on, and loading is its own replay, and then {@code session/resume} at the agent.
 *
 * <pre>{@code
 * Proxy record = RecordedSessions.in(Path.of("records"));
 * }</pre>
 *
 * <p>Each session has a file of JSON lines, which is only appended to, and readable by the user alone. It has what was
 * said as it was said, also secrets, but nothing of the environment, of MCP servers or of logins. A line is written
 * before its update goes on, so what the client has received is there after a crash. Where the agent loads sessions by
 * itself, as all do in version 2, this does nothing.
 *
 * <p>{@link Builder#newSessions} is for agents that cannot resume either: the session goes on in a new one of the
 * agent, which gets the conversation with the next prompt. In a chain this stands first, nearest to the client: its
 * replay passes no other proxy.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#loading-sessions">Loading sessions</a>
 */
@Unstable
public final class RecordedSessions {
    private static final int PAGE = 50;
    private static final int MOST_TRANSCRIPT = 64 * 1024;
    private static final String MARK = "acp4j.dev/record";

    private final Path folder;
    private final boolean newSessions;
    private final Consumer<String> onNotice;
    private final SessionState<Kept> kept = SessionState.of(this::open, Kept::close);
    private final Inserted inserted = new Inserted("record");
    private final SessionNames names = new SessionNames();

    /** What is done for the agent of each connection; nothing for others. Gone with the connection. */
    private final Map<Neighbour, Work> works = Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * What is done for an agent.
     *
     * @param resumes whether the agent resumes sessions; otherwise they go on in new ones
     * @param lists whether the agent lists its sessions
     * @param deletes whether the agent deletes its sessions
     */
    private record Work(Recordings recordings, boolean resumes, boolean lists, boolean deletes) {}

    /** A session that is open. */
    private static final class Kept {
        private final @Nullable Recordings of;
        private final @Nullable SessionRecording recording;

        /** What the next prompt has to tell the agent; null if it knows it. */
        private volatile @Nullable String untold;

        Kept(@Nullable Recordings of, @Nullable SessionRecording recording) {
            this.of = of;
            this.recording = recording;
        }

        void close() {
            if (of != null && recording != null) {
                of.close(recording);
            }
        }
    }

    private RecordedSessions(Builder builder) {
        folder = builder.folder;
        newSessions = builder.newSessions;
        onNotice = builder.onNotice;
    }

    /** Returns a proxy that keeps its records in a folder, which is created if it does not exist. */
    public static Proxy in(Path folder) {
        return builder(folder).build();
    }

    /** Begins a proxy that keeps its records in a folder, which is created if it does not exist. */
    public static Builder builder(Path folder) {
        return new Builder(folder);
    }

    private Proxy proxy() {
        Proxy.Builder proxy = Proxy.builder("record", "1")
                .state(kept)
                .onRequest(AgentMethods.INITIALIZE, (params, hop) -> initialized(hop.forward(), hop))
                .onRequests(Method.Side.AGENT, "session/load"::equals, this::load)
                .onRequest(AgentMethods.LIST_SESSIONS, this::list)
                .onRequest(AgentMethods.DELETE_SESSION, this::delete)
                .onRequests(Method.Side.AGENT, "session/prompt"::equals, this::prompt)
                .onNotifications(Method.Side.CLIENT, "session/update"::equals, (params, hop) -> {
                    SessionRecording recording = hop.state(kept).recording;
                    if (recording != null) {
                        recording.update(params);
                    }
                    hop.forward();
                });
        // The names of sessions are changed behind all else: what is before them sees the names of the client.
        return newSessions ? inserted.takenOut(proxy, (hop, id) -> {}).build().then(names.proxy()) : proxy.build();
    }

    // ---- what is offered

    private Answer<InitializeResponse> initialized(
            Answer<InitializeResponse> answer, RequestHop<?, InitializeResponse> hop) {
        if (answer.isError() || hop.version() != Version.V1) {
            return answer;
        }
        InitializeResponse agent = answer.result();
        AgentCapabilities offered = agent.agentCapabilities();
        SessionCapabilities sessions = offered.sessionCapabilities();
        if (offered.loadSession()) {
            return answer;
        }
        boolean resumes = sessions.resume() != null;
        if (!resumes && !newSessions) {
            onNotice.accept("This agent can neither load nor resume sessions, so they are not recorded.");
            return answer;
        }
        String name = agent.agentInfo() == null ? "" : agent.agentInfo().name();
        Recordings recordings = new Recordings(folder, name, onNotice);
        try {
            recordings.requireWritable();
        } catch (IOException e) {
            onNotice.accept("Sessions are not recorded, so they cannot be loaded later: " + e);
            return answer;
        }
        if (!resumes) {
            onNotice.accept("This agent cannot resume sessions: one that is loaded goes on in a new session of the"
                    + " agent, and the next prompt contains the conversation so far.");
        }
        works.put(hop.client(), new Work(recordings, resumes, sessions.list() != null, sessions.delete() != null));
        SessionCapabilities with = sessions.toBuilder()
                .list(sessions.list() == null ? SessionListCapabilities.of() : sessions.list())
                .delete(sessions.delete() == null ? SessionDeleteCapabilities.of() : sessions.delete())
                .build();
        return answer.with(agent.toBuilder()
                .agentCapabilities(offered.toBuilder()
                        .loadSession(true)
                        .sessionCapabilities(with)
                        .build())
                .build());
    }

    // ---- sessions

    private Kept open(SessionState.Opening opening) {
        Work work = works.get(opening.client());
        if (work == null) {
            return new Kept(null, null);
        }
        SessionId session = opening.session();
        try {
            if (opening.method().equals("session/new")) {
                return new Kept(work.recordings, work.recordings.begin(session, opening.params()));
            }
            if (opening.method().equals("session/fork")) {
                SessionRecording fork = work.recordings.begin(session, opening.params());
                fork.missing("what was said before the fork");
                return new Kept(work.recordings, fork);
            }
            Optional<SessionRecording> found = work.recordings.resume(session);
            if (found.isPresent()) {
                return new Kept(work.recordings, found.get());
            }
            SessionRecording begun = work.recordings.begin(session, opening.params());
            begun.missing("what was said before");
            return new Kept(work.recordings, begun);
        } catch (JsonLines.InUseException e) {
            throw RpcError.invalidRequest("the session " + session + " is open in another process; end that one first");
        } catch (IOException e) {
            onNotice.accept("The session " + session + " is not recorded: " + e.getMessage());
            return new Kept(null, null);
        }
    }

    private Answer<RawJson> load(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        Work work = works.get(hop.client());
        if (work == null) {
            return hop.forward();
        }
        Kept session = hop.state(kept);
        SessionRecording recording = session.recording;
        SessionId id = hop.session().orElseThrow();
        if (recording == null) {
            throw new RpcError(RpcError.INTERNAL_ERROR, "the record of the session " + id + " cannot be read");
        }
        if (!work.resumes && !recording.isKept()) {
            throw RpcError.sessionNotFound(id.value());
        }
        Answer<RawJson> answer;
        try {
            recording.replay(update -> hop.client().send("session/update", update));
        } catch (IOException e) {
            throw new RpcError(
                    RpcError.INTERNAL_ERROR, "the record of the session " + id + " cannot be read: " + e.getMessage());
        }
        if (work.resumes) {
            answer = hop.forwardAs("session/resume", params);
        } else {
            answer = hop.forwardAs("session/new", Members.with(params, "sessionId", null));
            if (!answer.isError()) {
                names.put(hop.client(), id.value(), answer.raw().session());
                session.untold = Transcript.of(recording, MOST_TRANSCRIPT);
                answer = answer.with(Members.with(answer.result(), "sessionId", null));
            }
        }
        if (!answer.isError() && recording.isShort()) {
            onNotice.accept("The record of the session " + id + " is shorter than the session: a part is missing.");
            answer = answer.with(marked(answer.result()));
        }
        return answer;
    }

    /** Says in the metadata of a result that the record is not all of the session. */
    private static RawJson marked(RawJson result) {
        RawJson meta = Members.get(result, "_meta");
        RawJson others = meta == null || meta.equals(RawJson.NULL) ? RawJson.EMPTY_OBJECT : meta;
        return Members.with(result, "_meta", Members.with(others, MARK, RawJson.parse("{\"complete\":false}")));
    }

    private Answer<RawJson> prompt(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        Kept session = hop.state(kept);
        SessionRecording recording = session.recording;
        if (recording == null) {
            return hop.forward();
        }
        recording.prompt(params);
        String end = "error";
        try {
            Answer<RawJson> answer = told(session, params, hop);
            if (!answer.isError()) {
                String reason = Members.text(answer.result(), "stopReason");
                end = reason == null ? "unknown" : reason;
            }
            return answer;
        } finally {
            recording.end(end);
        }
    }

    /** Forwards a prompt, with the conversation so far if the agent does not know it. */
    private Answer<RawJson> told(Kept session, RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        String untold = session.untold;
        if (untold == null) {
            return hop.forward();
        }
        RawJson block = Members.with(
                RawJson.parse("{\"type\":\"text\"}"),
                "text",
                RawJson.string(inserted.text("transcript", "The conversation so far, from a record:\n\n" + untold)));
        Answer<RawJson> answer = hop.forward(Members.prepended(params, "prompt", block));
        if (!answer.isError()) {
            session.untold = null;
        }
        return answer;
    }

    // ---- the list

    private Answer<ListSessionsResponse> list(
            ListSessionsRequest request, RequestHop<ListSessionsRequest, ListSessionsResponse> hop) throws Exception {
        Work work = works.get(hop.client());
        if (work == null || work.lists) {
            return hop.forward();
        }
        List<SessionInfo> all = new ArrayList<>();
        for (SessionInfo info : work.recordings.list()) {
            if (request.cwd() == null || isSame(info.cwd(), request.cwd())) {
                all.add(info);
            }
        }
        int from = request.cursor() == null ? 0 : after(all, request.cursor());
        int to = Math.min(all.size(), from + PAGE);
        var page = ListSessionsResponse.builder(all.subList(from, to));
        if (to < all.size()) {
            page.nextCursor(all.get(to - 1).sessionId().value());
        }
        return hop.answer(page.build());
    }

    /** Whether two folders are the same, which need not be of this machine. */
    private static boolean isSame(String one, String other) {
        Path path = Sessions.path(one);
        return one.equals(other) || (path != null && path.equals(Sessions.path(other)));
    }

    private static int after(List<SessionInfo> all, String cursor) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).sessionId().value().equals(cursor)) {
                return i + 1;
            }
        }
        throw RpcError.invalidParams("params.cursor: not a cursor of this list");
    }

    private Answer<DeleteSessionResponse> delete(
            DeleteSessionRequest request, RequestHop<DeleteSessionRequest, DeleteSessionResponse> hop)
            throws Exception {
        Work work = works.get(hop.client());
        if (work == null) {
            return hop.forward();
        }
        Answer<DeleteSessionResponse> answer = work.deletes ? hop.forward() : hop.answer(DeleteSessionResponse.of());
        if (!answer.isError()) {
            try {
                work.recordings.delete(request.sessionId());
            } catch (IOException e) {
                throw new RpcError(
                        RpcError.INTERNAL_ERROR,
                        "the record of the session " + request.sessionId() + " cannot be deleted: " + e.getMessage());
            }
        }
        return answer;
    }

    /** Builds a proxy that records sessions. */
    public static final class Builder {
        private final Path folder;
        private boolean newSessions;
        private Consumer<String> onNotice = Notices::log;

        private Builder(Path folder) {
            this.folder = Objects.requireNonNull(folder);
        }

        /**
         * Loads sessions also with agents that can neither load nor resume them: the client gets the replay, and the
         * agent a new session, which it is told the conversation in, up to 64 KiB of its end, before the next prompt.
         * The client knows the session by its old id. Without this, such sessions are not recorded.
         */
        public Builder newSessions() {
            newSessions = true;
            return this;
        }

        /** Takes what a user should know, a sentence each, such as a record that is not complete; logged by default. */
        public Builder onNotice(Consumer<String> listener) {
            onNotice = Objects.requireNonNull(listener);
            return this;
        }

        /** Builds the proxy. */
        public Proxy build() {
            return new RecordedSessions(this).proxy();
        }
    }
}
