package dev.acp4j.cli.editors;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** How the agents of an editor are written in a text: reads them, and gives the text with one more or less. */
interface AgentsText {
    /**
     * An agent that was found in a text.
     *
     * @param name its name
     * @param entry what is started; null if the editor starts something of its own, or it cannot be read
     * @param kept why it is not for us to change, as a sentence; null if it may be
     * @param old what is written in an older form, as a sentence; null if nothing is
     * @param problem why the editor cannot start it as it is written, as a sentence; null if it can
     * @param shown the agent as it is in the text
     */
    record Listed(
            String name,
            @Nullable AgentEntry entry,
            @Nullable String kept,
            @Nullable String old,
            @Nullable String problem,
            String shown) {}

    /**
     * Returns the agents in the order of the text; several of the same name if the text has them.
     *
     * @throws UnreadableTextException if the text is not what the editor reads
     */
    List<Listed> agents(String text) throws UnreadableTextException;

    /**
     * Returns the text with an agent, in the place of the one of the same name if there is one.
     *
     * @throws UnreadableTextException if the text is not what the editor reads, or has something else in that place
     */
    String with(String text, AgentEntry entry) throws UnreadableTextException;

    /**
     * Returns the text without an agent.
     *
     * @throws UnreadableTextException if the text is not what the editor reads
     */
    String without(String text, String name) throws UnreadableTextException;

    /**
     * Returns the text with an agent as it was in a former text, or without it if it was not there.
     *
     * @throws UnreadableTextException if one of them is not what the editor reads
     */
    String restored(String text, String former, String name) throws UnreadableTextException;

    /** Returns why this editor cannot have an agent, as a sentence; null if it can. */
    default @Nullable String obstacle(AgentEntry entry) {
        return null;
    }

    /** Returns what a person pastes into the file. */
    String pasted(List<AgentEntry> entries);
}
