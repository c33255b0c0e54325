package dev.acp4j.mcp;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.Unstable;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A question of a {@link ToolServer} to the agent that calls it: a form for the user, or another request that MCP has
 * for that. Questions that were made before the first answer is awaited are asked together.
 *
 * <pre>{@code
 * Question<Person> person = call.question("person", "Who is it?", Person.class);
 * Question<Place> place = call.question("place", "And where?", Place.class);
 * greet(person.answer(), place.answer());
 * }</pre>
 *
 * <p>For the thread that runs the call.
 *
 * @param <A> the answer
 */
@Unstable
public final class Question<A> {
    private final ToolServer.Call call;
    private final String name;
    private final RawJson request;
    private final Function<RawJson, Optional<A>> reading;
    private @Nullable RawJson reply;

    Question(ToolServer.Call call, String name, RawJson request, Function<RawJson, Optional<A>> reading) {
        this.call = call;
        this.name = name;
        this.request = request;
        this.reading = reading;
    }

    String name() {
        return name;
    }

    RawJson request() {
        return request;
    }

    void answered(RawJson value) {
        reply = value;
    }

    /**
     * Returns the answer. If it is not there yet, asks this question and all others of the call that were not asked so
     * far, and waits for all answers, however long that takes.
     *
     * @return the answer; empty when the user declined a form or nobody answered
     * @throws IllegalArgumentException when the answer does not match the form, which fails the call
     * @throws InterruptedException when the call is cancelled
     */
    public Optional<A> answer() throws InterruptedException {
        if (reply == null) {
            call.askAll();
        }
        return reading.apply(Objects.requireNonNull(reply));
    }
}
