package dev.acp4j;

/** Is told what happens in a session. */
@FunctionalInterface
public interface SessionListener {
    /**
     * Takes an event. Events of one session come one after another and in order; the session's {@link Session#view()}
     * shows the state after the event, or a later one. What an agent answers is seen only after the events before it
     * were taken, so a slow listener slows the agent down; nothing is lost.
     *
     * @param session the session
     * @param event what happened
     */
    void event(Session session, SessionEvent event);
}
