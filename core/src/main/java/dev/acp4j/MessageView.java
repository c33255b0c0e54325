package dev.acp4j;

import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Meta;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A message or prompt of a conversation, with the pieces that have arrived so far. */
public final class MessageView extends Entry {
    /** The author of a message. */
    public enum Author {
        /** The user. */
        USER,
        /** The agent. */
        AGENT,
        /** The agent, as a thought. */
        THOUGHT
    }

    private final Author author;
    private final @Nullable MessageId id;
    private final GrowingContent.Content content;

    MessageView(Place place, Meta meta, Author author, @Nullable MessageId id, GrowingContent.Content content) {
        super(place, meta);
        this.author = author;
        this.id = id;
        this.content = content;
    }

    /** Returns a message that stands in no timeline. */
    static MessageView of(Author author, @Nullable MessageId id, List<ContentBlock> blocks, Meta meta) {
        GrowingContent content = new GrowingContent(new ReentrantLock());
        content.replace(blocks);
        return new MessageView(Place.NONE, meta, author, id, content.snapshot());
    }

    /** Returns the author. */
    public Author author() {
        return author;
    }

    /** Returns the agent's id of the message, or null when the agent gives none. */
    public @Nullable MessageId id() {
        return id;
    }

    /** Returns the content; neighbouring pieces of text are joined. */
    public List<ContentBlock> content() {
        return content.blocks();
    }

    /** Returns the text of the message, without content of other kinds. */
    public String text() {
        return content.text();
    }

    @Override
    List<@Nullable Object> says() {
        return Arrays.asList(author, id, content());
    }
}
