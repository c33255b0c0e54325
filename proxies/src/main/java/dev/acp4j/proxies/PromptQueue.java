package dev.acp4j.proxies;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonBoolean;
import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.Hop;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RequestHop;
import dev.acp4j.proxy.SessionState;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Has a prompt that comes during a turn wait, and sends it after the turn.
 *
 * <pre>{@code
 * Proxy queue = PromptQueue.create();
 * }</pre>
 *
 * <p>Prompts of a session go to the agent one after the other, in the order in which they came, whatever agent it is.
 * One that waits can be cancelled, alone by {@code $/cancel_request} and together with the turn by
 * {@code session/cancel}; it is then never sent. Nothing else waits with it, and no turn is cancelled to make room.
 *
 * <p>A prompt with {@code "_meta":{"acp4j.dev/steer":true}} does not wait if the agent takes what is said into a
 * running turn: in version 1 if its answer to {@code initialize} has {@code "_meta":{"steering":{"supported":true}}},
 * by {@code _session/steering}. If the agent did not take it, it waits as others do.
 */
@Unstable
public final class PromptQueue {
    private static final String STEER = "acp4j.dev/steer";

    private final SessionState<Queue> queues = SessionState.of(opening -> new Queue());

    private PromptQueue() {}

    /** Returns a proxy that has prompts wait. */
    public static Proxy create() {
        return new PromptQueue().proxy();
    }

    private Proxy proxy() {
        return Proxy.builder("queue", "1")
                .state(queues)
                .patience(Duration.ZERO, Duration.ZERO)
                .onRequests(Method.Side.AGENT, "session/prompt"::equals, this::prompt)
                .onNotification(ClientMethods.UPDATE, (said, hop) -> {
                    hop.forward();
                    if (said.update() instanceof StateUpdate.Idle && hop.version() == Version.V2) {
                        hop.state(queues).idle();
                    }
                })
                .build();
    }

    private Answer<RawJson> prompt(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        Queue queue = hop.state(queues);
        Place place = queue.enter();
        boolean goesOn = false;
        try {
            Place running = queue.first();
            if (!running.equals(place)) {
                hop.letOthersPass();
                Answer<RawJson> steered =
                        isToSteer(params) && canSteer(hop) ? steered(params, hop, queue, running) : null;
                if (steered != null) {
                    return steered;
                }
                queue.await(place);
            }
            Answer<RawJson> answer = hop.forward();
            // In version 2 the turn ends with an update.
            goesOn = hop.version() == Version.V2 && !answer.isError();
            queue.answered(place, answer, goesOn);
            return answer;
        } finally {
            if (!goesOn) {
                // Once the client has the answer: the next turn is behind it.
                hop.afterAnswer(() -> queue.leave(place));
            }
        }
    }

    // ---- steering

    /** Whether the client asks for that. */
    private static boolean isToSteer(RawJson params) {
        RawJson meta = Members.get(params, "_meta");
        return meta != null && isTrue(Members.get(meta, STEER));
    }

    private static boolean isTrue(@Nullable RawJson value) {
        return value != null && value.value() instanceof JsonBoolean some && some.value();
    }

    /** Whether the agent offers that. */
    private static boolean canSteer(Hop hop) {
        return hop.initialized()
                .map(agent -> hop.version() == Version.V2
                        ? agent.capabilities().session() != null
                                && agent.capabilities()
                                        .session()
                                        .rest()
                                        .get("steering")
                                        .isPresent()
                        : agent.meta()
                                .get("steering")
                                .map(steering -> isTrue(Members.get(steering, "supported")))
                                .orElse(false))
                .orElse(false);
    }

    /**
     * Says it into the running turn, and answers at its end as that.
     *
     * @return null when the agent did not take it
     */
    private static @Nullable Answer<RawJson> steered(
            RawJson params, RequestHop<RawJson, RawJson> hop, Queue queue, Place running) throws Exception {
        if (hop.version() == Version.V2) {
            return hop.forward();
        }
        RawJson idle = RawJson.parse("{\"steering\":{\"idleBehavior\":\"promptRequired\"}}");
        Answer<RawJson> answer = hop.forwardAs("_session/steering", Members.with(params, "_meta", idle));
        // What ends the turn is behind this answer.
        hop.letOthersPass();
        boolean isTaken = !answer.isError() && "injected".equals(Members.text(answer.result(), "outcome"));
        if (!isTaken) {
            return null;
        }
        RawJson end = queue.awaitEnd(running);
        if (end == null) {
            throw new RpcError(RpcError.INTERNAL_ERROR, "the turn into which this was said has failed");
        }
        return hop.answer(end);
    }

    // ---- places

    /** The place of a prompt among those of its session. */
    private static final class Place {
        /** Whether the turn has begun, and ends with an update. */
        private boolean isAnswered;

        /** What ended its turn; null when that failed. */
        private @Nullable RawJson end;
    }

    /** The prompts of a session. The lock guards their places; nothing is sent while it is held. */
    private static final class Queue {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();

        @GuardedBy("lock")
        private final Deque<Place> places = new ArrayDeque<>();

        Place enter() {
            lock.lock();
            try {
                Place place = new Place();
                places.add(place);
                return place;
            } finally {
                lock.unlock();
            }
        }

        /** Returns the prompt whose turn runs. */
        Place first() {
            lock.lock();
            try {
                return places.getFirst();
            } finally {
                lock.unlock();
            }
        }

        /** Waits until the turns of all prompts before this one have ended. */
        void await(Place place) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                while (!place.equals(places.peekFirst())) {
                    changed.await();
                }
            } finally {
                lock.unlock();
            }
        }

        /** Waits for the end of a turn, and returns the answer that ended it; null when it failed. */
        @Nullable
        RawJson awaitEnd(Place running) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                while (places.contains(running)) {
                    changed.await();
                }
                return running.end;
            } finally {
                lock.unlock();
            }
        }

        /** The prompt was answered by the agent: its turn has begun, or ended. */
        void answered(Place place, Answer<RawJson> answer, boolean endsLater) {
            lock.lock();
            try {
                place.isAnswered = endsLater;
                place.end = answer.isError() ? null : answer.result();
            } finally {
                lock.unlock();
            }
        }

        /** The session is idle. */
        void idle() {
            lock.lock();
            try {
                Place first = places.peekFirst();
                if (first != null && first.isAnswered) {
                    leave(first);
                }
            } finally {
                lock.unlock();
            }
        }

        void leave(Place place) {
            lock.lock();
            try {
                places.remove(place);
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}
