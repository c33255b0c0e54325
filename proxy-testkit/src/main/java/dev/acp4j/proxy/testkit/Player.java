package dev.acp4j.proxy.testkit;

import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RunningProxy;
import dev.acp4j.proxy.testkit.ProxyDifference.Change;
import dev.acp4j.proxy.testkit.ProxyDifference.Side;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.trace.TraceEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Plays a recording through a proxy, one message after another. For use by one thread. */
final class Player implements AutoCloseable {
    private static final String CANCEL = "$/cancel_request";

    /** A request of the recording: the side that has sent it, and its id. */
    private record Asked(Side by, RawJson id) {}

    /**
     * What has become of it.
     *
     * @param request the request
     * @param there its id where it has come out; null if it has not
     * @param answer the answer of the proxy itself; null if there is none
     */
    private record Open(
            TraceEvent request,
            @Nullable String there,
            @Nullable Message answer) {}

    private final List<TraceEvent> events;
    private final String nameOfClient;
    private final PlayedEnd client;
    private final PlayedEnd agent;
    private final RunningProxy running;
    private final Map<Asked, Open> open = new HashMap<>();
    private final List<Change> changes = new ArrayList<>();
    private int marks;

    Player(Proxy proxy, List<TraceEvent> recording) {
        this.events = recording.stream()
                .filter(event -> event.type().isMessage() && !CANCEL.equals(event.method()))
                .toList();
        this.nameOfClient = events.stream()
                .filter(event -> event.type() == TraceEvent.Type.REQUEST)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no request in the recording"))
                .from();
        MemoryTransport.Pair clientSide = MemoryTransport.pair();
        MemoryTransport.Pair agentSide = MemoryTransport.pair();
        this.client = new PlayedEnd("client", clientSide.right());
        this.agent = new PlayedEnd("agent", agentSide.right());
        this.running = proxy.join(clientSide.left(), agentSide.left());
    }

    ProxyDifference play() throws InterruptedException {
        for (TraceEvent event : events) {
            try {
                switch (event.type()) {
                    case REQUEST -> request(event);
                    case NOTIFICATION -> notification(event);
                    default -> answer(event);
                }
            } catch (IOException e) {
                throw new AssertionError("the proxy has ended at " + event, e);
            }
        }
        return new ProxyDifference(changes, events.size());
    }

    private PlayedEnd at(Side side) {
        return side == Side.CLIENT ? client : agent;
    }

    private Side from(TraceEvent event) {
        return event.from().equals(nameOfClient) ? Side.CLIENT : Side.AGENT;
    }

    private static Side other(Side side) {
        return side == Side.CLIENT ? Side.AGENT : Side.CLIENT;
    }

    private void request(TraceEvent event) throws IOException, InterruptedException {
        Side from = from(event);
        PlayedEnd to = at(other(from));
        RawJson id = Objects.requireNonNull(event.id());
        to.expect(method(event));
        send(from, event.message().toString(), session(event));
        Message there = to.arrived();
        Message answer = null;
        List<Message> back = new ArrayList<>();
        for (Message message : at(from).take()) {
            if (isAnswer(message, id)) {
                answer = message;
            } else {
                back.add(message);
            }
        }
        open.put(new Asked(from, id), new Open(event, there == null ? null : String.valueOf(there.id()), answer));
        compare(event, other(from), method(event), there, to.take());
        added(from, back);
    }

    private void notification(TraceEvent event) throws IOException, InterruptedException {
        Side from = from(event);
        send(from, event.message().toString(), session(event));
        List<Message> came = at(other(from)).take();
        Message same = came.stream()
                .filter(message -> message.kind() == Message.Kind.NOTIFICATION
                        && message.method().equals(event.method()))
                .findFirst()
                .orElse(null);
        compare(event, other(from), method(event), same, came);
        added(from, at(from).take());
    }

    private void answer(TraceEvent event) throws IOException, InterruptedException {
        Side from = from(event);
        Side to = other(from);
        RawJson id = Objects.requireNonNull(event.id());
        Open asked = open.remove(new Asked(to, id));
        if (asked == null) {
            return;
        }
        Message answer = asked.answer;
        List<Message> came = List.of();
        if (answer == null && asked.there != null) {
            String line = "{\"jsonrpc\":\"2.0\",\"id\":" + asked.there + ",\""
                    + event.type().text() + "\":" + (event.body() == null ? "null" : event.body()) + "}";
            String named = session(event);
            send(from, line, named.isEmpty() ? session(asked.request) : named);
            came = at(to).take();
            answer = came.stream()
                    .filter(message -> isAnswer(message, id))
                    .findFirst()
                    .orElse(null);
        }
        compare(event, to, method(asked.request), answer, came);
        added(from, at(from).take());
    }

    private void send(Side from, String line, String session) throws IOException, InterruptedException {
        at(from).send(line);
        marks++;
        at(other(from)).awaitAllFrom(at(from), session, marks);
        at(from).awaitAllFrom(at(other(from)), session, marks);
    }

    private void compare(TraceEvent recorded, Side to, String method, @Nullable Message now, List<Message> came) {
        if (now == null || !Objects.equals(body(now), recorded.body())) {
            changes.add(new Change(to, method, orEmpty(recorded.body()), now == null ? null : orEmpty(body(now))));
        }
        added(to, came.stream().filter(message -> !message.equals(now)).toList());
    }

    private void added(Side to, List<Message> messages) {
        for (Message message : messages) {
            if (!message.kind().isResponse() && !message.method().equals(CANCEL)) {
                changes.add(new Change(to, message.method(), null, orEmpty(message.params())));
            }
        }
    }

    private static RawJson orEmpty(@Nullable RawJson body) {
        return body == null ? RawJson.NULL : body;
    }

    private static @Nullable RawJson body(Message message) {
        return switch (message.kind()) {
            case RESULT -> message.result();
            case ERROR -> message.error();
            default -> message.params();
        };
    }

    private static boolean isAnswer(Message message, RawJson id) {
        return message.kind().isResponse() && id.toString().equals(String.valueOf(message.id()));
    }

    private static String method(TraceEvent event) {
        return String.valueOf(event.method());
    }

    private static String session(TraceEvent event) {
        return Message.parse(event.message()).session();
    }

    @Override
    public void close() {
        client.close();
        agent.close();
        running.close();
    }
}
