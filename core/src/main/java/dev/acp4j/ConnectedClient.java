package dev.acp4j;

import dev.acp4j.rpc.Message;
import dev.acp4j.schema.ClientCapabilities;
import dev.acp4j.schema.ClientSessionCapabilities;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.ElicitationCapabilities;
import dev.acp4j.schema.Implementation;
import dev.acp4j.schema.InitializeRequest;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** An agent's connection to a client. */
public final class ConnectedClient extends Peer {
    private final ConcurrentHashMap<SessionId, AgentSession> sessions = new ConcurrentHashMap<>();
    private volatile @Nullable InitializeRequest initialize;

    ConnectedClient() {}

    void initialized(InitializeRequest request) {
        initialize = request;
    }

    boolean isInitialized() {
        return initialize != null;
    }

    ConcurrentHashMap<SessionId, AgentSession> sessions() {
        return sessions;
    }

    private InitializeRequest initializeRequest() {
        InitializeRequest request = initialize;
        if (request == null) {
            throw new IllegalStateException("the client has not initialized the connection yet");
        }
        return request;
    }

    @Override
    Method.Side side() {
        return Method.Side.CLIENT;
    }

    @Override
    public Optional<Implementation> info() {
        return Optional.ofNullable(initializeRequest().clientInfo());
    }

    @Override
    public int protocolVersion() {
        return Math.min(initializeRequest().protocolVersion(), Protocol.NEWEST);
    }

    @Override
    Version version() {
        return Version.V1;
    }

    @Override
    public boolean supports(Feature feature) {
        ClientSessionCapabilities session = capabilities().session();
        ElicitationCapabilities elicitation = capabilities().elicitation();
        return switch (feature) {
            case READ_FILES -> capabilities().fs().readTextFile();
            case WRITE_FILES -> capabilities().fs().writeTextFile();
            case TERMINALS -> capabilities().terminal();
            case FORMS -> elicitation != null && elicitation.form() != null;
            case PAGES -> elicitation != null && elicitation.url() != null;
            case NOTICES -> session != null && session.notices() != null;
            case COMPACTION -> session != null && session.compaction() != null;
            case BOOLEAN_OPTIONS ->
                session != null
                        && session.configOptions() != null
                        && session.configOptions().toggle() != null;
            case TERMINAL_LOGIN -> capabilities().auth().terminal();
            default -> false;
        };
    }

    @Override
    public Message raw() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Meta meta() {
        return initializeRequest().meta();
    }

    /** Returns the client's capabilities, as in version 1 of the protocol; see also {@link #supports}. */
    public ClientCapabilities capabilities() {
        return initializeRequest().clientCapabilities();
    }

    /** Returns the active session with that id. */
    public Optional<AgentSession> session(SessionId id) {
        return Optional.ofNullable(sessions.get(id));
    }

    /** Returns true when the client shows notices. */
    public boolean supportsNotices() {
        ClientSessionCapabilities session = capabilities().session();
        return session != null && session.notices() != null;
    }

    /** Returns true when the client shows what becomes of context compactions. */
    public boolean supportsCompaction() {
        ClientSessionCapabilities session = capabilities().session();
        return session != null && session.compaction() != null;
    }

    /** Returns true when the client can show config options that are on or off. */
    public boolean supportsBooleanConfigOptions() {
        ClientSessionCapabilities session = capabilities().session();
        return session != null
                && session.configOptions() != null
                && session.configOptions().toggle() != null;
    }

    /** Returns the options without those that the client cannot show. */
    List<SessionConfigOption> shown(List<SessionConfigOption> options) {
        if (supportsBooleanConfigOptions()) {
            return options;
        }
        List<SessionConfigOption> shown = new ArrayList<>();
        for (SessionConfigOption option : options) {
            if (!(option instanceof SessionConfigOption.Toggle)) {
                shown.add(option);
            }
        }
        return shown;
    }

    void requireElicitation(CreateElicitationRequest request) {
        ElicitationCapabilities offered = capabilities().elicitation();
        boolean form = request instanceof CreateElicitationRequest.Form;
        boolean url = request instanceof CreateElicitationRequest.Url;
        if (offered == null || (form && offered.form() == null) || (url && offered.url() == null)) {
            throw new IllegalStateException("the client does not offer this kind of elicitation");
        }
    }
}
