package dev.acp4j;

import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionValue;
import java.util.List;

/** Changes a session's configuration when the client asks for it. */
@FunctionalInterface
public interface SetConfigOptionHandler {
    /**
     * Sets an option.
     *
     * @param session the session
     * @param option which option
     * @param value its new value
     * @return all options of the session as they are now, since one may depend on another
     * @throws Exception to refuse, as for {@link PromptHandler#prompt}
     */
    List<SessionConfigOption> set(AgentSession session, SessionConfigId option, SessionConfigOptionValue value)
            throws Exception;
}
