package dev.acp4j.workspace;

import dev.acp4j.Client;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.RequestPermissionOutcome;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The usual answers to permission requests. Whatever goes wrong, nothing is permitted.
 *
 * <p>Only options of the four known kinds are ever chosen without the user. An option whose id another one of a
 * different kind has too is never chosen, see {@link PermissionQuestion#choose}.
 *
 * <p>A refusal is one of the agent's own reject options, so that the turn goes on without the tool call. Agents take
 * the outcome <i>cancelled</i> as the end of the turn, so it is given only where there is no such option or nobody
 * decided.
 */
public final class Permissions {
    private Permissions() {}

    /** Permits everything that can be permitted, once if possible, else always; and refuses the rest. */
    public static Client.PermissionHandler allow() {
        return request -> first(
                request,
                PermissionOptionKind.ALLOW_ONCE,
                PermissionOptionKind.ALLOW_ALWAYS,
                PermissionOptionKind.REJECT_ONCE,
                PermissionOptionKind.REJECT_ALWAYS);
    }

    /** Refuses everything, once if possible, else always. */
    public static Client.PermissionHandler deny() {
        return Permissions::refusal;
    }

    /** Asks the user, for as long as it takes. What the prompt throws is reported to the client as a problem. */
    public static Client.PermissionHandler ask(PermissionPrompt prompt) {
        return request -> answer(request, prompt.choose(request));
    }

    /**
     * Asks the user, and refuses when there is no answer in time; the thread that asks is interrupted then.
     *
     * @param patience how long to wait for the user
     */
    public static Client.PermissionHandler ask(PermissionPrompt prompt, Duration patience) {
        return request -> {
            FutureTask<RequestPermissionOutcome> answer =
                    new FutureTask<>(() -> answer(request, prompt.choose(request)));
            Thread.ofPlatform().daemon().name("acp4j-permission").start(answer);
            try {
                return answer.get(patience.toNanos(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                return refusal(request);
            } catch (ExecutionException e) {
                throw e.getCause() instanceof Exception cause ? cause : e;
            } finally {
                answer.cancel(true);
            }
        };
    }

    private static RequestPermissionOutcome answer(PermissionQuestion request, @Nullable PermissionOption choice) {
        if (choice == null) {
            return request.cancelled();
        }
        return request.options().contains(choice) ? request.choose(choice) : refusal(request);
    }

    private static RequestPermissionOutcome refusal(PermissionQuestion request) {
        return first(request, PermissionOptionKind.REJECT_ONCE, PermissionOptionKind.REJECT_ALWAYS);
    }

    /** Selects an option of the first of these kinds that there is one of. */
    static RequestPermissionOutcome first(PermissionQuestion request, PermissionOptionKind... kinds) {
        for (PermissionOptionKind kind : kinds) {
            PermissionOption option = request.option(kind).orElse(null);
            if (option != null) {
                return request.choose(option);
            }
        }
        return request.cancelled();
    }
}
