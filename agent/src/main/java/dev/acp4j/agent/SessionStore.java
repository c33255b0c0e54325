package dev.acp4j.agent;

import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where conversations are kept. Thread-safe. Methods throw {@link dev.acp4j.rpc.RpcError} for the client. */
interface SessionStore {
    /** Begins a conversation. It is held until {@link #release}. */
    Conversation begin(SessionId id, Path cwd, List<Path> additionalDirectories);

    /** Returns a kept conversation, or null. It is held until {@link #release}, which each call needs. */
    @Nullable
    Conversation hold(SessionId id);

    /** Ends the use of a conversation, which remains kept. */
    void release(Conversation conversation);

    /** Deletes a conversation; does nothing if there is none. */
    void delete(SessionId id);

    /** Returns all conversations, the one used last first. */
    List<SessionInfo> list();

    /** Checks that conversations can be kept. */
    void check();
}
