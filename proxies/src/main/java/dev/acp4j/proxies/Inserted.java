package dev.acp4j.proxies;

import dev.acp4j.proxy.NotificationHop;
import dev.acp4j.schema.Change;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ResourceContents;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.SessionUpdate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Text that a proxy adds to a prompt, between marks by which it is found again in a replay: agents keep text, and lose
 * metadata.
 */
final class Inserted {
    private final String by;
    private final Pattern marked;

    /**
     * Creates the marks of a proxy.
     *
     * @param by its name
     */
    Inserted(String by) {
        this.by = by;
        this.marked = Pattern.compile(
                "<inserted by=\"" + by + "\" id=\"([^\"]*)\">.*?(?:</inserted by=\"" + by + "\">\n*|$)",
                Pattern.DOTALL);
    }

    /**
     * Returns a text between the marks.
     *
     * @param id what tells this text from others
     */
    String text(String id, String text) {
        String end = "</inserted by=\"" + by + "\">";
        // Not removed: what stands around it could then join to the same mark.
        String inside = text.replace(end, end.replace('<', '['));
        return "<inserted by=\"" + by + "\" id=\"" + id + "\">\n" + inside + "\n" + end + "\n";
    }

    /**
     * Forwards an update without what stands between the marks, where it repeats what the user has said.
     *
     * @param found takes the id of each text that was taken out
     */
    void forwardWithout(SessionNotification said, NotificationHop<SessionNotification> hop, Consumer<String> found)
            throws InterruptedException {
        SessionUpdate update = said.update();
        if (update instanceof SessionUpdate.UserMessageChunk chunk) {
            ContentBlock came = chunk.content();
            ContentBlock left = without(came, found).orElse(null);
            if (left == null) {
                return;
            }
            if (!left.equals(came)) {
                update = new SessionUpdate.UserMessageChunk(left, chunk.messageId(), chunk.rest());
            }
        } else if (update instanceof SessionUpdate.UserMessage message
                && message.content() instanceof Change.Replace<List<ContentBlock>> replaced) {
            List<ContentBlock> left = new ArrayList<>();
            for (ContentBlock block : replaced.value()) {
                without(block, found).ifPresent(left::add);
            }
            if (!left.equals(replaced.value())) {
                update = new SessionUpdate.UserMessage(message.messageId(), Change.replace(left), message.rest());
            }
        }
        if (update.equals(said.update())) {
            hop.forward();
        } else {
            hop.forward(new SessionNotification(said.sessionId(), update, said.rest()));
        }
    }

    /** Returns a block without what stands between the marks; empty if nothing is left. */
    private Optional<ContentBlock> without(ContentBlock block, Consumer<String> found) {
        if (block instanceof ContentBlock.Text text) {
            String left = without(text.text(), found);
            if (left.equals(text.text())) {
                return Optional.of(block);
            }
            return left.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new ContentBlock.Text(left, text.annotations(), text.rest()));
        }
        boolean isMarked = block instanceof ContentBlock.Resource resource
                && resource.resource() instanceof ResourceContents.Text contents
                && without(contents.text(), found).isEmpty();
        return isMarked ? Optional.empty() : Optional.of(block);
    }

    private String without(String text, Consumer<String> found) {
        Matcher matcher = marked.matcher(text);
        StringBuilder left = new StringBuilder();
        while (matcher.find()) {
            found.accept(matcher.group(1));
            matcher.appendReplacement(left, "");
        }
        return matcher.appendTail(left).toString();
    }
}
