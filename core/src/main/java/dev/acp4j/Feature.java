package dev.acp4j;

import dev.acp4j.schema.Unstable;

/**
 * An optional capability of an agent or a client, in any version of the protocol. Mandatory capabilities have no
 * feature. See {@link Peer#supports}.
 */
public enum Feature {
    // of agents

    /** An agent has sessions: in version 1 every agent, in version 2 those that advertise them. */
    SESSIONS("sessions"),
    /** An agent loads sessions and replays what happened in them. */
    LOAD_SESSION("loading sessions"),
    /** An agent resumes sessions without replaying them. */
    RESUME_SESSION("resuming sessions"),
    /** An agent lists sessions that can be loaded or resumed. */
    LIST_SESSIONS("listing sessions"),
    /** An agent closes sessions and releases their resources. */
    CLOSE_SESSION("closing sessions"),
    /** An agent deletes sessions. */
    DELETE_SESSION("deleting sessions"),
    /** An agent has ways to authenticate. */
    LOGIN("authentication"),
    /** An agent lets the user log out. */
    LOGOUT("logging out"),
    /** An agent works in further folders beside the working folder. */
    ADDITIONAL_DIRECTORIES("additional directories"),
    /** An agent accepts images in prompts. */
    PROMPT_IMAGES("images in prompts"),
    /** An agent accepts audio in prompts. */
    PROMPT_AUDIO("audio in prompts"),
    /** An agent accepts embedded resources in prompts. */
    PROMPT_RESOURCES("embedded resources in prompts"),
    /** An agent connects to MCP servers over stdio: in version 1 every agent, in version 2 those that say so. */
    MCP_STDIO("MCP servers over stdio"),
    /** An agent connects to MCP servers over HTTP. */
    MCP_HTTP("MCP servers over HTTP"),
    /** An agent connects to MCP servers over SSE. */
    MCP_SSE("MCP servers over SSE"),
    /** An agent takes what the user says into its running turn; see {@link Session#steer(String)}. */
    STEERING("steering a running turn"),
    /** An agent reports whether and how the user is logged in; see {@link ConnectedAgent#authStatus()}. */
    AUTH_STATUS("reporting the authentication"),
    /** An agent forks sessions; a draft. See {@link ConnectedAgent#forkSession}. */
    @Unstable
    FORK_SESSION("forking sessions"),
    /** An agent archives sessions, and lists archived ones; a draft. See {@link ConnectedAgent#archiveSession}. */
    @Unstable
    ARCHIVE_SESSION("archiving sessions"),
    /** An agent says whether it has a session in memory; a draft. See {@link ConnectedAgent#sessionStatus}. */
    @Unstable
    SESSION_STATUS("the status of sessions"),
    /** An agent lets the user name sessions; a draft. See {@link ConnectedAgent#setTitle}. */
    @Unstable
    SET_TITLE("naming sessions"),
    /** An agent adds a client's text to its system prompt; a draft. See {@link SessionSetup#withSystemPrompt}. */
    @Unstable
    SYSTEM_PROMPT("system prompts"),
    /** An agent lets a client's text take the place of its system prompt; a draft. */
    @Unstable
    SYSTEM_PROMPT_OVERRIDE("overriding the system prompt"),
    /** An agent lets clients configure the providers of its models; a draft. See {@link ConnectedAgent#providers}. */
    @Unstable
    PROVIDERS("configuring providers"),
    /** An agent connects to MCP servers that its client has, over the connection of the client; a draft. */
    @Unstable
    MCP_ACP("MCP servers over ACP"),

    // of clients

    /** A client lets the agent read its files; in version 1 only. */
    READ_FILES("reading files"),
    /** A client lets the agent write its files; in version 1 only. */
    WRITE_FILES("writing files"),
    /** A client runs commands in terminals for the agent; in version 1 only. */
    TERMINALS("terminals"),
    /** A client asks the user for input with forms. */
    FORMS("elicitation by forms"),
    /** A client sends the user to web pages. */
    PAGES("elicitation by URL"),
    /** A client shows notices. */
    NOTICES("notices"),
    /** A client shows compactions of the context. */
    COMPACTION("compactions"),
    /** A client shows config options that are on or off. */
    BOOLEAN_OPTIONS("config options that are on or off"),
    /** A client runs an agent's own login in a terminal. */
    TERMINAL_LOGIN("logging in through a terminal"),
    /** A client shows terminals in which an agent runs commands by itself; see {@link ToolCallHandle#openTerminal}. */
    AGENT_TERMINALS("terminals of the agent"),

    /** A client shows plans by id, also files and markdown, that can be removed; a draft. */
    @Unstable
    PLANS("plans by id"),
    /** A client shows sessions that belong to one of the agent, and messages between sessions; a draft. */
    @Unstable
    SUBAGENTS("subagents");

    private final String text;

    Feature(String text) {
        this.text = text;
    }

    /** Returns the feature in words, for example <em>loading sessions</em>. */
    @Override
    public String toString() {
        return text;
    }
}
