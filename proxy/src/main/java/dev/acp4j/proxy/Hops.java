package dev.acp4j.proxy;

import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Tells the trace of a chain what passes one link: from what stands before it, by way of the proxies on it that
 * intercept the message, to what stands behind it.
 */
final class Hops {
    /** Where a chain begins. */
    static final String CLIENT = "client";

    /** Where it ends. */
    static final String AGENT = "agent";

    /** How a message has come to what sends it. */
    enum Origin {
        /** Nobody here knows. */
        OUTSIDE,
        /** By a proxy on the link, where a request keeps its id. */
        INSIDE,
        /** It is the sender's own. */
        OWN
    }

    /**
     * One hop of a request or a notification.
     *
     * @param origin how it has come to what sends it
     */
    record Way(String from, String to, boolean toAgent, Origin origin) {
        /** Whether nothing comes behind it. */
        boolean isLast() {
            return to.equals(toAgent ? AGENT : CLIENT);
        }
    }

    private final ChainTrace trace;
    private final String before;
    private final String behind;

    /** The ids of the proxies on the link. */
    private final Map<Part, String> owners = new HashMap<>();

    /**
     * Begins.
     *
     * @param before the id of what stands before the link
     * @param inside the proxies on the link
     * @param behind the id of what stands behind it
     */
    Hops(ChainTrace trace, String before, List<Conductor.Inside> inside, String behind) {
        this.trace = trace;
        this.before = before;
        this.behind = behind;
        for (Conductor.Inside one : inside) {
            one.proxy().entries().forEach(entry -> owners.put(entry.part(), one.id()));
        }
    }

    private String near(boolean toAgent) {
        return toAgent ? before : behind;
    }

    private String far(boolean toAgent) {
        return toAgent ? behind : before;
    }

    private String owner(Entry entry) {
        return owner(entry.part());
    }

    private String owner(Part part) {
        return owners.getOrDefault(part, part.name());
    }

    /** Returns the name of what gets a message at a place in the list of its interceptors. */
    private String at(List<Entry> chain, int index, boolean toAgent) {
        return index == chain.size() ? far(toAgent) : owner(chain.get(index));
    }

    /** A message has come to the link. */
    void came(Message message, boolean toAgent, List<Entry> chain) {
        trace.call(new Way(near(toAgent), at(chain, 0, toAgent), toAgent, Origin.OUTSIDE), plain(message));
    }

    /** An interceptor has forwarded a message. */
    void forwarded(Message message, boolean toAgent, List<Entry> chain, int index) {
        if (isHop(chain, index)) {
            trace.call(way(chain, index, toAgent), plain(message));
        }
    }

    /** The answer has come back to the interceptor that has forwarded the request. */
    void answered(RequestId id, Message answer, boolean toAgent, List<Entry> chain, int index) {
        if (isHop(chain, index)) {
            trace.answer(way(chain, index, toAgent), id, answer);
        }
    }

    /** There is no answer to what an interceptor has forwarded. */
    void failed(RequestId id, Exception why, boolean toAgent, List<Entry> chain, int index) {
        answered(id, noAnswer(id, why), toAgent, chain, index);
    }

    /** Returns the error that stands for an answer that does not come. */
    static Message noAnswer(RequestId id, Exception why) {
        RpcError error = why instanceof RpcError known
                ? known
                : new RpcError(RpcError.INTERNAL_ERROR, "there is no answer: " + why.getMessage());
        return Message.error(id, error);
    }

    private Way way(List<Entry> chain, int index, boolean toAgent) {
        return new Way(owner(chain.get(index - 1)), at(chain, index, toAgent), toAgent, Origin.INSIDE);
    }

    /** Whether another one is reached: several interceptors may be of one proxy. */
    private boolean isHop(List<Entry> chain, int index) {
        return index > 0 && (index == chain.size() || !owner(chain.get(index)).equals(owner(chain.get(index - 1))));
    }

    /** The answer goes back to what has asked. */
    void answering(RequestId id, Message answer, boolean toAgent) {
        trace.answer(new Way(near(toAgent), far(toAgent), toAgent, Origin.OUTSIDE), id, answer);
    }

    /** A proxy on the link says something by itself. */
    void said(Part by, Message message, boolean toAgent, List<Entry> chain) {
        trace.call(ownWay(by, toAgent, chain), message);
    }

    /** The answer to that has come. */
    void heard(Part by, RequestId id, Message answer, boolean toAgent, List<Entry> chain) {
        trace.answer(ownWay(by, toAgent, chain), id, answer);
    }

    private Way ownWay(Part by, boolean toAgent, List<Entry> chain) {
        return new Way(owner(by), at(chain, 0, toAgent), toAgent, Origin.OWN);
    }

    /** Returns what is logically sent: components are initialized by another method than agents. */
    private static Message plain(Message message) {
        RequestId id = message.id();
        return id != null && message.method().endsWith("proxy/initialize")
                ? Message.request(id, "initialize", message.params())
                : message;
    }
}
