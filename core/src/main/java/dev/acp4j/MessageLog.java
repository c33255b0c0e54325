package dev.acp4j;

import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A message that is still growing. Neighbouring pieces of text are joined. */
final class MessageLog {
    private final MessageView.Author author;
    private final @Nullable MessageId id;
    private final List<ContentBlock> content = new ArrayList<>();
    private GrowingText text = new GrowingText();

    MessageLog(MessageView.Author author, @Nullable MessageId id) {
        this.author = author;
        this.id = id;
    }

    boolean continues(MessageView.Author otherAuthor, @Nullable MessageId otherId) {
        return author == otherAuthor && Objects.equals(id, otherId);
    }

    void append(ContentBlock block) {
        if (block instanceof ContentBlock.Text part && part.annotations() == null) {
            text.append(part.text());
        } else {
            endText();
            content.add(block);
        }
    }

    private void endText() {
        if (!text.isEmpty()) {
            content.add(ContentBlock.text(text.toString()));
            text = new GrowingText();
        }
    }

    MessageView view() {
        if (text.isEmpty()) {
            return new MessageView(author, id, content);
        }
        List<ContentBlock> all = new ArrayList<>(content);
        all.add(ContentBlock.text(text.toString()));
        return new MessageView(author, id, all);
    }
}
