package dev.acp4j.proxy;

import dev.acp4j.rpc.Limits;
import dev.acp4j.schema.Unstable;

/**
 * How much one component of a chain may take of the others. Zero stands for the bound that all connections of the
 * conductor have, see {@link Conductor.Builder#limits}.
 *
 * <p>What is too much is slowed down or refused: a component that sends too fast, or to which more is sent than it
 * reads, is slowed by back-pressure; a message that is too large, and one request too many, is answered with an error
 * that names the component.
 *
 * @param messageBytes the largest message from it or to it, in bytes
 * @param requests how many requests may be inside it, and how many of its own may be without answer
 * @param queuedBytes how many bytes may wait to be written to it, and how many of its messages in one session may wait
 *     for their interceptors
 * @param messagesPerSecond how many messages it may send in a second, after as many at once; more are read later
 */
@Unstable
public record ComponentLimits(int messageBytes, int requests, long queuedBytes, int messagesPerSecond) {
    /** No limits but those of the conductor. */
    public static final ComponentLimits NONE = new ComponentLimits(0, 0, 0, 0);

    public ComponentLimits {
        require("messageBytes", messageBytes);
        require("requests", requests);
        require("queuedBytes", queuedBytes);
        require("messagesPerSecond", messagesPerSecond);
    }

    private static void require(String name, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " must not be negative, got " + value);
        }
    }

    /** Returns a copy with another limit for a message. */
    public ComponentLimits withMessageBytes(int bytes) {
        return new ComponentLimits(bytes, requests, queuedBytes, messagesPerSecond);
    }

    /** Returns a copy with another limit for requests in flight. */
    public ComponentLimits withRequests(int number) {
        return new ComponentLimits(messageBytes, number, queuedBytes, messagesPerSecond);
    }

    /** Returns a copy with another limit for bytes that wait. */
    public ComponentLimits withQueuedBytes(long bytes) {
        return new ComponentLimits(messageBytes, requests, bytes, messagesPerSecond);
    }

    /** Returns a copy with another limit for messages in a second. */
    public ComponentLimits withMessagesPerSecond(int number) {
        return new ComponentLimits(messageBytes, requests, queuedBytes, number);
    }

    /** Returns the limits of the component's connection. */
    Limits of(Limits all) {
        Limits limits = messageBytes == 0 ? all : all.withMessageBytes(messageBytes);
        limits = requests == 0 ? limits : limits.withRequests(requests, requests);
        return queuedBytes == 0 ? limits : limits.withQueueBytes(queuedBytes, queuedBytes);
    }
}
