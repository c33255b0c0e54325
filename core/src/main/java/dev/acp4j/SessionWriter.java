package dev.acp4j;

import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.CompactionSummaryChunk;
import dev.acp4j.schema.CompactionUpdate;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Notice;
import dev.acp4j.schema.NoticeSeverity;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.RequestPermissionRequest;
import dev.acp4j.schema.RequestPermissionResponse;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.UsageUpdate;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends what happens in one session to the client, and asks the client. All methods may be called from any thread; what
 * one thread sends arrives in that order. Sending blocks only while the client reads too slowly.
 *
 * <p>Whatever sends throws {@link InterruptedException} when interrupted while it waits for the client, which includes
 * a turn that is cancelled; {@link dev.acp4j.rpc.ConnectionClosedException} when the client is gone;
 * {@link IllegalStateException} when the session was closed; and {@link IllegalArgumentException} when the update is
 * larger than {@link dev.acp4j.rpc.Limits#messageBytes()}. Nothing was sent then.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn">Prompt turn</a>
 */
public abstract sealed class SessionWriter permits AgentSession, AgentTurn {
    SessionWriter() {}

    /** Returns the session that is written to. */
    public abstract AgentSession session();

    /** Returns the id of the session. */
    public SessionId sessionId() {
        return session().id();
    }

    /** Returns the client. */
    public ConnectedClient client() {
        return session().client();
    }

    // ---- what the agent says

    /** Sends a piece of the agent's message. */
    public void message(String text) throws InterruptedException {
        message(ContentBlock.text(text));
    }

    /** Sends a piece of the agent's message. */
    public void message(ContentBlock content) throws InterruptedException {
        message(content, null);
    }

    /**
     * Sends a piece of a message of the agent.
     *
     * @param content the piece
     * @param id the message that it belongs to; null for the one that is being said, which ends with the next step
     */
    public void message(ContentBlock content, @Nullable MessageId id) throws InterruptedException {
        update(SessionUpdate.AgentMessageChunk.of(content, id));
    }

    /** Sends a piece of what the agent thinks. */
    public void thought(String text) throws InterruptedException {
        thought(ContentBlock.text(text), null);
    }

    /** Sends a piece of what the agent thinks; for the id see {@link #message(ContentBlock, MessageId)}. */
    public void thought(ContentBlock content, @Nullable MessageId id) throws InterruptedException {
        update(SessionUpdate.AgentThoughtChunk.of(content, id));
    }

    /** Sends a piece of a message of the user: for replaying a loaded session. */
    public void userMessage(ContentBlock content) throws InterruptedException {
        userMessage(content, null);
    }

    /** Sends a piece of a message of the user; for the id see {@link #message(ContentBlock, MessageId)}. */
    public void userMessage(ContentBlock content, @Nullable MessageId id) throws InterruptedException {
        update(SessionUpdate.UserMessageChunk.of(content, id));
    }

    // ---- what the agent does

    /** Announces a tool call, pending, and returns the handle that tells its progress. */
    public ToolCallHandle toolCall(String title, ToolKind kind) throws InterruptedException {
        return toolCall(
                ToolCall.builder(session().nextToolCallId(), title).kind(kind).build());
    }

    /** Announces a tool call as given, and returns the handle that tells its progress. */
    public ToolCallHandle toolCall(ToolCall call) throws InterruptedException {
        update(call);
        return new ToolCallHandle(this, call);
    }

    /** Sends the plan, whole: it replaces the one before. */
    public void plan(List<PlanEntry> entries) throws InterruptedException {
        update(SessionUpdate.Plan.of(entries));
    }

    // ---- what the session is

    /** Sends the commands that the user may call now, whole. */
    public void commands(List<AvailableCommand> commands) throws InterruptedException {
        update(SessionUpdate.AvailableCommandsUpdate.of(commands));
    }

    /** Switches the session's mode and tells the client. */
    public void mode(SessionModeId mode) throws InterruptedException {
        session().currentMode(mode);
        update(SessionUpdate.CurrentModeUpdate.of(mode));
    }

    /**
     * Sets the session's config options. They go into the response while the session is being opened, later the client
     * is told by an update. Those that are on or off go only to clients that can show them; see
     * {@link ConnectedClient#supportsBooleanConfigOptions()}.
     */
    public void configOptions(List<SessionConfigOption> options) throws InterruptedException {
        if (session().keepConfigOptions(options)) {
            update(SessionUpdate.ConfigOptionUpdate.of(client().shown(options)));
        }
    }

    /** Names the session for people. */
    public void title(String title) throws InterruptedException {
        update(SessionUpdate.SessionInfoUpdate.builder().title(title).build());
    }

    /**
     * Tells how full the context is.
     *
     * @param used tokens in the context now
     * @param size tokens that the context can hold
     */
    public void usage(long used, long size) throws InterruptedException {
        usage(UsageUpdate.builder(used, size).build());
    }

    /** Tells how full the context is and what was spent. */
    public void usage(UsageUpdate usage) throws InterruptedException {
        update(usage);
    }

    /**
     * Shows a notice to the user, if the client supports notices.
     *
     * @param severity how serious it is
     * @param title one line
     * @param description more, or null
     * @return false when the client does not support notices; nothing was sent
     */
    public boolean notice(NoticeSeverity severity, String title, @Nullable String description)
            throws InterruptedException {
        return notice(Notice.builder(severity, title).description(description).build());
    }

    /**
     * Shows a notice to the user, if the client supports notices; see {@link #notice(NoticeSeverity, String, String)}.
     */
    public boolean notice(Notice notice) throws InterruptedException {
        return updateIf(client().supportsNotices(), notice);
    }

    /**
     * Tells how far a compaction of the context is, if the client supports that.
     *
     * @return false when the client does not; nothing was sent
     */
    public boolean compaction(CompactionUpdate compaction) throws InterruptedException {
        return updateIf(client().supportsCompaction(), compaction);
    }

    /**
     * Sends a piece of the summary that a compaction leaves, if the client supports that.
     *
     * @return false when the client does not; nothing was sent
     */
    public boolean compaction(CompactionSummaryChunk piece) throws InterruptedException {
        return updateIf(client().supportsCompaction(), piece);
    }

    private boolean updateIf(boolean supported, SessionUpdate update) throws InterruptedException {
        if (supported) {
            update(update);
        }
        return supported;
    }

    /**
     * Sends an update as version 1 of the protocol has it: for what this class has no method for, such as
     * {@code _meta}.
     */
    public void update(SessionUpdate update) throws InterruptedException {
        session().send(update);
    }

    // ---- asking the client

    /**
     * Asks for permission. A person may have to answer, so there is no time limit.
     *
     * @param call what permission is asked for; the client may show all of it
     * @param options what the client may choose from
     * @return the client's choice; an outcome that is not understood is not a permission
     * @throws InterruptedException when the turn is cancelled; the question is withdrawn
     */
    public PermissionAnswer requestPermission(ToolCallUpdate call, List<PermissionOption> options)
            throws InterruptedException {
        RequestPermissionResponse answer = client().call(
                        ClientMethods.REQUEST_PERMISSION,
                        RequestPermissionRequest.of(sessionId(), call, options),
                        Duration.ZERO);
        return PermissionAnswer.of(answer.outcome(), options);
    }

    /**
     * Asks the user for input. A person must answer, so there is no time limit.
     *
     * @throws IllegalStateException when the client did not advertise the mode of the request
     * @throws InterruptedException when the turn is cancelled; the question is withdrawn
     */
    public CreateElicitationResponse elicit(CreateElicitationRequest request) throws InterruptedException {
        client().requireElicitation(request);
        return client().call(ClientMethods.CREATE_ELICITATION, request, Duration.ZERO);
    }

    /** Returns the client's files, as far as it offers them. */
    public RemoteFiles files() {
        return new RemoteFiles(client(), sessionId());
    }

    /** Returns the client's terminals, if it offers them. */
    public RemoteTerminals terminals() {
        return new RemoteTerminals(client(), sessionId());
    }
}
