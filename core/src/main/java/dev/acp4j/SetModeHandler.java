package dev.acp4j;

import dev.acp4j.schema.SessionModeId;

/** Switches a session's mode when the client asks for it. */
@FunctionalInterface
public interface SetModeHandler {
    /**
     * Switches the mode. The session already knows it as its current mode when this is called.
     *
     * @param session the session
     * @param mode one of the modes that the session offers
     * @throws Exception to refuse, as for {@link PromptHandler#prompt}; the session then keeps its former mode
     */
    void setMode(AgentSession session, SessionModeId mode) throws Exception;
}
