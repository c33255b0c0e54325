package dev.acp4j;

/** Opens, loads, resumes or closes a session on the agent's side. */
@FunctionalInterface
public interface SessionHandler {
    /**
     * Handles the session. What it sets on the session (modes, config options) before it returns goes into the
     * response.
     *
     * @param session the session
     * @throws Exception to refuse: a {@link dev.acp4j.rpc.RpcError} reaches the client as it is, for example
     *     {@link dev.acp4j.rpc.RpcError#sessionNotFound}; anything else as internal error
     */
    void handle(AgentSession session) throws Exception;
}
