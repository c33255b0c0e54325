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
 * Common policies for permission requests. Failures never grant a permission.
 *
 * <p>Only options of the four known kinds are chosen without the user. An option that shares its id with an option of a
 * different kind is never chosen, see {@link PermissionQuestion#choose}.
 *
 * <p>A refusal is one of the agent's own reject options, so that the turn continues without the tool call. Agents treat
 * the outcome <i>cancelled</i> as the end of the turn, so it is given only if there is no such option or no decision.
 */
public final class Permissions {
    private Permissions() {}

    /** Permits everything that can be permitted, once if possible, else always; refuses the rest. */
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

    /** Asks the user, without timeout. Exceptions of the prompt are reported to the client as a problem. */
    public static Client.PermissionHandler ask(PermissionPrompt prompt) {
        return request -> answer(request, prompt.choose(request));
    }

    /**
     * Asks the user, and refuses on timeout; the thread that asks is then interrupted.
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

    /** Selects an option of the first available of these kinds. */
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
