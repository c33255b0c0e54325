package dev.acp4j;

import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message of a conversation with the pieces that have come so far.
 *
 * @param author who says it
 * @param id the agent's id for it, or null when it gives none
 * @param content the pieces; neighbouring pieces of text are joined
 */
public record MessageView(Author author, @Nullable MessageId id, List<ContentBlock> content) {
    /** Who says something. */
    public enum Author {
        /** The user. */
        USER,
        /** The agent, to the user. */
        AGENT,
        /** The agent, to itself. */
        THOUGHT
    }

    /** Copies the list. */
    public MessageView {
        content = List.copyOf(content);
    }

    /** Returns the text of all pieces of text. */
    public String text() {
        StringBuilder text = new StringBuilder();
        for (ContentBlock block : content) {
            if (block instanceof ContentBlock.Text part) {
                text.append(part.text());
            }
        }
        return text.toString();
    }
}
