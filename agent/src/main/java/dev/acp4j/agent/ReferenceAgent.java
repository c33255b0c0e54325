package dev.acp4j.agent;

import dev.acp4j.Agent;
import dev.acp4j.AgentSession;
import dev.acp4j.AgentTurn;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Feature;
import dev.acp4j.mcp.LogMessage;
import dev.acp4j.mcp.McpServers;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.Version;
import java.nio.file.Path;
import java.util.List;

/**
 * The agent that comes with acp4j. It needs no model, no key and no network: it answers questions by searching the
 * workspace, and offers commands to list, search, read and change files, to run programs, and to sum the workspace up.
 * It asks before it changes or runs anything.
 *
 * <p>It connects the MCP servers of its sessions, and calls their tools when the user asks for it. Their prompts are
 * commands. Their warnings and errors are notices.
 *
 * <p>Sessions can be listed, loaded, resumed and deleted, also over another connection. They are kept in memory, as
 * long as the agent lives, or in a folder, so that they survive its process.
 *
 * <p>It has no accounts, and opens sessions without a login. Since registries list only agents that offer one, and some
 * clients ask for one, it offers a login that checks whether conversations can be kept.
 *
 * <p>It reports no usage: there is no model whose tokens could be counted.
 *
 * <pre>{@code
 * ReferenceAgent.create().serve(Stdio.system());
 * }</pre>
 */
public final class ReferenceAgent {
    private static final String NAME = "acp4j-agent";
    private static final String TITLE = "acp4j reference agent";
    private static final String VERSION = "0.1.0";

    private static final AuthMethod LOCAL = AuthMethod.Agent.builder(AuthMethodId.of("local"), "User of this computer")
            .description("There is no account and no key. Checks that your conversations can be kept.")
            .build();

    private final SessionStore store;
    private final Workspaces workspaces = new Workspaces();

    private ReferenceAgent(SessionStore store) {
        this.store = store;
    }

    /** Creates the agent; its sessions are kept in memory. */
    public static Agent create() {
        return new ReferenceAgent(new MemoryStore()).build(Version.values());
    }

    /**
     * Creates the agent; its sessions are kept in files, which only the user can read. A session that one process has
     * open cannot be opened or deleted by another one.
     *
     * @param sessions the folder for the files; it is created when it is needed
     */
    public static Agent create(Path sessions) {
        return create(sessions, Version.values());
    }

    /**
     * Creates the agent as {@link #create(Path)} does, for some versions of the protocol.
     *
     * @param versions the versions to speak; each client gets the newest of them that it asks for
     */
    public static Agent create(Path sessions, Version... versions) {
        return new ReferenceAgent(new FileStore(sessions)).build(versions);
    }

    private Agent build(Version... versions) {
        Modes modes = new Modes();
        StoredSessions stored = new StoredSessions(store);
        return McpServers.builder()
                .http()
                .acp()
                .onLog(LogMessage.Level.WARNING, new ServerLogs())
                .addTo(builder(modes, stored, versions))
                .build();
    }

    private Agent.Builder builder(Modes modes, StoredSessions stored, Version... versions) {
        return Agent.builder(NAME, VERSION)
                .title(TITLE)
                .protocol(versions)
                .onPrompt(new Prompts())
                .onNewSession(new Opening())
                .onLoadSession(new Loading())
                .onResumeSession(new Resuming())
                .onListSessions(stored)
                .onCloseSession(new Closing())
                .onDeleteSession(stored)
                .onAuthenticate(List.of(LOCAL), new Checking())
                .onLogout(new Forgetting())
                .onSetMode(modes)
                .onSetConfigOption(modes)
                .supports(Feature.PROMPT_RESOURCES, Feature.ADDITIONAL_DIRECTORIES);
    }

    private record Attached(Conversation conversation, Workspace workspace) {}

    // Classes instead of lambdas: they initialize faster, which shortens the time to the first response.

    private final class Opening implements Agent.SessionHandler {
        @Override
        public void handle(AgentSession session) throws InterruptedException {
            Conversation conversation =
                    store.begin(session.id(), session.cwd(), session.setup().additionalDirectories());
            boolean isOpened = false;
            try {
                attach(session, conversation);
                isOpened = true;
            } finally {
                if (!isOpened) {
                    store.release(conversation);
                }
            }
        }
    }

    private final class Loading implements Agent.SessionHandler {
        @Override
        public void handle(AgentSession session) throws InterruptedException {
            reopen(session, true);
        }
    }

    private final class Resuming implements Agent.SessionHandler {
        @Override
        public void handle(AgentSession session) throws InterruptedException {
            reopen(session, false);
        }
    }

    /** Releases the conversation. */
    private final class Closing implements Agent.SessionHandler {
        @Override
        public void handle(AgentSession session) {
            Attached attached = session.attachment(Attached.class);
            store.release(attached.conversation());
        }
    }

    private final class Checking implements Agent.AuthenticateHandler {
        @Override
        public void authenticate(ConnectedClient client, AuthMethodId method) {
            store.check();
        }
    }

    /** Nothing of a login is kept. */
    private static final class Forgetting implements Agent.LogoutHandler {
        @Override
        public void logout(ConnectedClient client) {
            // Conversations stay: session/delete deletes them.
        }
    }

    private static final class Prompts implements Agent.PromptHandler {
        @Override
        public void prompt(AgentTurn turn) throws InterruptedException {
            Attached attached = turn.session().attachment(Attached.class);
            Conversation conversation = attached.conversation();
            String text = turn.text();
            String title = conversation.titleFrom(text);
            if (title != null) {
                turn.title(title);
            }
            try {
                new Prompting(new Work(turn, conversation, attached.workspace())).run(text);
            } finally {
                conversation.touch();
            }
            String problem = conversation.takeProblem();
            if (problem != null) {
                turn.message("\n" + problem + ".\n");
            }
        }
    }

    /**
     * The mode, which older clients set as a mode and newer ones as a config option: a change of one is reported as a
     * change of the other, too.
     */
    private static final class Modes implements Agent.SetModeHandler, Agent.SetConfigOptionHandler {
        @Override
        public void setMode(AgentSession session, SessionModeId id) throws InterruptedException {
            Mode mode = Mode.of(id.value());
            if (mode == null) {
                throw RpcError.invalidParams("params.modeId: no such mode: " + id);
            }
            session.attachment(Attached.class).conversation().mode(mode);
            session.configOptions(mode.options());
        }

        @Override
        public List<SessionConfigOption> set(AgentSession session, SessionConfigId id, SessionConfigOptionValue value)
                throws InterruptedException {
            if (!id.equals(Mode.OPTION)) {
                throw RpcError.invalidParams("params.configId: no such option: " + id);
            }
            Mode mode = value instanceof SessionConfigOptionValue.Id chosen
                    ? Mode.of(chosen.value().value())
                    : null;
            if (mode == null) {
                throw RpcError.invalidParams("params.value: not one of the values of " + id);
            }
            session.attachment(Attached.class).conversation().mode(mode);
            session.mode(mode.id());
            return mode.options();
        }
    }

    /**
     * Opens a kept conversation, and replays it if wanted. A session that other clients have open holds it already; one
     * that is opened anew holds it until it is closed.
     */
    private void reopen(AgentSession session, boolean replays) throws InterruptedException {
        Conversation conversation = store.hold(session.id());
        if (conversation == null) {
            throw RpcError.sessionNotFound(session.id().value());
        }
        boolean isHeld = isAttached(session);
        boolean isOpened = false;
        try {
            if (!conversation.cwd().equals(session.cwd())) {
                throw RpcError.invalidParams("params.cwd: the session was begun in " + conversation.cwd());
            }
            conversation.additionalDirectories(session.setup().additionalDirectories());
            attach(session, conversation);
            if (replays) {
                conversation.replay(session::update);
            }
            isOpened = true;
        } finally {
            if (isHeld || !isOpened) {
                store.release(conversation);
            }
        }
    }

    private static boolean isAttached(AgentSession session) {
        try {
            session.attachment(Attached.class);
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    private void attach(AgentSession session, Conversation conversation) throws InterruptedException {
        session.attach(new Attached(conversation, workspaces.of(session.roots())));
        session.modes(conversation.mode().state());
        session.configOptions(conversation.mode().options());
        McpServers.of(session).commands(Commands.available());
    }
}
