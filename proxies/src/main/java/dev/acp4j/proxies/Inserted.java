package dev.acp4j.proxies;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.Hop;
import dev.acp4j.proxy.NotificationHop;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.SessionState;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.Change;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.ResourceContents;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.SessionUpdate;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Text that a proxy adds to a prompt, between marks by which it is found again in a replay: agents keep text, and lose
 * metadata.
 */
final class Inserted {
    /** What is held at most while a mark has no end. */
    private static final int MOST_HELD = 1 << 20;

    private final String beginning;
    private final String end;
    private final Pattern marked;
    private final Pattern begun;
    private final SessionState<Repeated> repeated = SessionState.of(opening -> new Repeated());

    /**
     * Creates the marks of a proxy.
     *
     * @param by its name
     */
    Inserted(String by) {
        this.beginning = "<inserted by=\"" + by + "\" id=\"";
        this.end = "</inserted by=\"" + by + "\">";
        this.marked = Pattern.compile(
                Pattern.quote(beginning) + "([^\"]*)\">.*?" + Pattern.quote(end) + "\n*", Pattern.DOTALL);
        this.begun = Pattern.compile(Pattern.quote(beginning) + "([^\"]*)\">");
    }

    /**
     * Returns a text between the marks.
     *
     * @param id what tells this text from others
     */
    String text(String id, String text) {
        // Not removed: what stands around it could then join to the same mark.
        String inside = text.replace(end, end.replace('<', '['));
        return beginning + id + "\">\n" + inside + "\n" + end + "\n";
    }

    /**
     * Has a proxy take out what stands between the marks wherever the agent repeats what the user has said. A mark may
     * be cut into chunks anywhere, so a chunk in which one may have begun waits for the next ones.
     *
     * @param found takes the id of each text that was taken out
     */
    Proxy.Builder takenOut(Proxy.Builder proxy, BiConsumer<Hop, String> found) {
        return proxy.state(repeated)
                .onRequest(AgentMethods.LOAD_SESSION, (params, hop) -> after(hop.forward(), hop, found))
                .onRequest(AgentMethods.RESUME_SESSION, (params, hop) -> after(hop.forward(), hop, found))
                .onPrompt((prompt, hop) -> after(hop.forward(), hop, found))
                .onNotification(
                        ClientMethods.UPDATE, (said, hop) -> forwardWithout(said, hop, id -> found.accept(hop, id)));
    }

    /** Shows the client what still waits before the answer that ends the messages. */
    private <R> Answer<R> after(Answer<R> answer, Hop hop, BiConsumer<Hop, String> found) throws InterruptedException {
        if (!answer.isError()) {
            for (SessionNotification chunk : hop.state(repeated).end(id -> found.accept(hop, id))) {
                hop.client().send(ClientMethods.UPDATE, chunk);
            }
        }
        return answer;
    }

    private void forwardWithout(
            SessionNotification said, NotificationHop<SessionNotification> hop, Consumer<String> found)
            throws InterruptedException {
        Repeated repeats = hop.state(repeated);
        if (text(said) != null) {
            for (SessionNotification chunk : repeats.add(said, found)) {
                hop.forward(chunk);
            }
            return;
        }
        for (SessionNotification chunk : repeats.end(found)) {
            hop.forward(chunk);
        }
        SessionUpdate update = said.update();
        if (update instanceof SessionUpdate.UserMessageChunk chunk) {
            if (without(chunk.content(), found).isPresent()) {
                hop.forward();
            }
        } else if (update instanceof SessionUpdate.UserMessage message
                && message.content() instanceof Change.Replace<List<ContentBlock>> replaced) {
            List<ContentBlock> left = new ArrayList<>();
            for (ContentBlock block : replaced.value()) {
                without(block, found).ifPresent(left::add);
            }
            hop.forward(
                    left.equals(replaced.value())
                            ? said
                            : new SessionNotification(
                                    said.sessionId(),
                                    new SessionUpdate.UserMessage(
                                            message.messageId(), Change.replace(left), message.rest()),
                                    said.rest()));
        } else {
            hop.forward();
        }
    }

    /** Returns the text of a chunk of the user's; null if it is none. */
    private static @Nullable String text(SessionNotification said) {
        return said.update() instanceof SessionUpdate.UserMessageChunk chunk
                        && chunk.content() instanceof ContentBlock.Text text
                ? text.text()
                : null;
    }

    private static @Nullable MessageId message(SessionNotification said) {
        return said.update() instanceof SessionUpdate.UserMessageChunk chunk ? chunk.messageId() : null;
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

    /** Returns a text without what stands between the marks; one that was cut off has its end with the text. */
    private String without(String text, Consumer<String> found) {
        String left = marked.matcher(text).replaceAll(match -> {
            found.accept(match.group(1));
            return "";
        });
        Matcher open = begun.matcher(left);
        if (!open.find()) {
            return left;
        }
        found.accept(open.group(1));
        return left.substring(0, open.start());
    }

    /** Whether a mark may begin at the end of a text, with more to come. */
    private boolean mayBegin(String text, int from) {
        for (int at = text.indexOf('<', from); at >= 0; at = text.indexOf('<', at + 1)) {
            String tail = text.substring(at);
            if (beginning.startsWith(tail) || (tail.startsWith(beginning) && tail.indexOf('>') < 0)) {
                return true;
            }
        }
        return false;
    }

    /** Returns a chunk without those characters; null if nothing is left. */
    private static @Nullable SessionNotification without(SessionNotification chunk, BitSet cuts) {
        if (cuts.isEmpty()
                || !(chunk.update() instanceof SessionUpdate.UserMessageChunk update)
                || !(update.content() instanceof ContentBlock.Text text)) {
            return chunk;
        }
        StringBuilder left = new StringBuilder();
        for (int at = cuts.nextClearBit(0); at < text.text().length(); at = cuts.nextClearBit(at + 1)) {
            left.append(text.text().charAt(at));
        }
        ContentBlock content = new ContentBlock.Text(left.toString(), text.annotations(), text.rest());
        return left.isEmpty()
                ? null
                : new SessionNotification(
                        chunk.sessionId(),
                        new SessionUpdate.UserMessageChunk(content, update.messageId(), update.rest()),
                        chunk.rest());
    }

    /** The chunks of a message of the user in which a mark may have begun. */
    private final class Repeated {
        /** Guards the chunks; what is found is only noted while it is held. */
        private final ReentrantLock lock = new ReentrantLock();

        @GuardedBy("lock")
        private final List<SessionNotification> held = new ArrayList<>();

        /** Their text. */
        @GuardedBy("lock")
        private final StringBuilder all = new StringBuilder();

        /** Whether they are inside of a mark, so that only its end changes anything. */
        @GuardedBy("lock")
        private boolean isInside;

        /** Whether the last chunk ended with a mark, whose end of line is the first thing in the next one. */
        @GuardedBy("lock")
        private boolean isAfterMark;

        /** Adds a chunk, and returns those that go on. */
        List<SessionNotification> add(SessionNotification chunk, Consumer<String> found) {
            lock.lock();
            try {
                List<SessionNotification> shown = new ArrayList<>();
                if (!held.isEmpty() && !Objects.equals(message(chunk), message(held.get(0)))) {
                    shown.addAll(cut(true, found));
                }
                String more = Objects.requireNonNull(text(chunk));
                held.add(chunk);
                all.append(more);
                if (!isInside || more.indexOf('>') >= 0) {
                    shown.addAll(cut(all.length() > MOST_HELD, found));
                }
                return shown;
            } finally {
                lock.unlock();
            }
        }

        /** The message has ended: returns what is left of its chunks. */
        List<SessionNotification> end(Consumer<String> found) {
            lock.lock();
            try {
                List<SessionNotification> left = held.isEmpty() ? List.of() : cut(true, found);
                isAfterMark = false;
                return left;
            } finally {
                lock.unlock();
            }
        }

        /**
         * Returns what is left of the chunks; nothing while more is needed to know that.
         *
         * @param isEnd whether there will be no more: then a mark without an end goes to the end of the chunk in which
         *     it begins, since the agent has cut it off there
         */
        @GuardedBy("lock")
        private List<SessionNotification> cut(boolean isEnd, Consumer<String> found) {
            String text = all.toString();
            BitSet cuts = new BitSet();
            List<String> ids = new ArrayList<>();
            Matcher mark = marked.matcher(text);
            int last = 0;
            while (isAfterMark && last < text.length() && text.charAt(last) == '\n') {
                last++;
            }
            cuts.set(0, last);
            while (mark.find()) {
                cuts.set(mark.start(), mark.end());
                ids.add(mark.group(1));
                last = mark.end();
            }
            Matcher open = begun.matcher(text);
            isInside = open.find(last);
            if (!isEnd && (isInside || mayBegin(text, last))) {
                return List.of();
            }
            if (isInside) {
                cuts.set(open.start(), endOfChunk(open.end()));
                ids.add(open.group(1));
            }
            List<SessionNotification> left = new ArrayList<>();
            int from = 0;
            for (SessionNotification chunk : held) {
                int length = Objects.requireNonNull(text(chunk)).length();
                SessionNotification shown = without(chunk, cuts.get(from, from + length));
                if (shown != null) {
                    left.add(shown);
                }
                from += length;
            }
            isAfterMark = cuts.length() == text.length() && !text.endsWith("\n");
            held.clear();
            all.setLength(0);
            isInside = false;
            ids.forEach(found);
            return left;
        }

        /** Returns where the chunk ends in which this place is. */
        @GuardedBy("lock")
        private int endOfChunk(int place) {
            int end = 0;
            for (SessionNotification chunk : held) {
                end += Objects.requireNonNull(text(chunk)).length();
                if (end >= place) {
                    break;
                }
            }
            return end;
        }
    }
}
