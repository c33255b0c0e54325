package dev.acp4j.http.gateway;

import dev.acp4j.http.Principal;
import dev.acp4j.http.ServerEvent;
import dev.acp4j.schema.Unstable;
import java.time.Duration;

/** What happens in a gateway, for logs and metrics. No event has anything of a message, or an id of a session. */
@Unstable
public sealed interface GatewayEvent {
    /**
     * An agent was started, or taken from those that were started before.
     *
     * @param principal for whom
     * @param connection the name of the connection that it was started for, as in {@link ServerEvent.ConnectionOpened}
     * @param pid the id of its process
     */
    record AgentStarted(Principal principal, String connection, long pid) implements GatewayEvent {}

    /**
     * A process was started that belongs to nobody yet.
     *
     * @param pid its id
     */
    record AgentPrestarted(long pid) implements GatewayEvent {}

    /**
     * An agent has ended.
     *
     * @param principal whose it was
     * @param pid the id of its process
     * @param reason one of {@code client_left}, {@code idle}, {@code stopped} and {@code died}
     * @param exit how the process exited, such as {@code exit code 1}; empty when that is not known
     */
    record AgentEnded(Principal principal, long pid, String reason, String exit) implements GatewayEvent {}

    /**
     * An agent could not be started.
     *
     * @param principal for whom
     * @param message why, without secrets
     */
    record AgentFailed(Principal principal, String message) implements GatewayEvent {}

    /**
     * A turn has ended.
     *
     * @param principal whose it was
     * @param time from the prompt to its answer
     * @param failed whether the answer is an error
     */
    record TurnEnded(Principal principal, Duration time, boolean failed) implements GatewayEvent {}

    /**
     * An agent has deleted a session that was not used for long.
     *
     * @param principal whose it was
     */
    record SessionRemoved(Principal principal) implements GatewayEvent {}

    /**
     * A turn was refused.
     *
     * @param principal to whom
     * @param reason {@code too_many_turns}
     */
    record TurnRefused(Principal principal, String reason) implements GatewayEvent {}

    /**
     * An agent asks for a permission.
     *
     * @param principal who is asked
     * @param question names the question in the event of its end
     */
    record QuestionOpened(Principal principal, String question) implements GatewayEvent {}

    /**
     * A question is no longer open.
     *
     * @param principal who was asked
     * @param question names the question
     * @param by one of {@code client}, {@code page}, {@code link}, {@code time} and {@code withdrawn}
     */
    record QuestionClosed(Principal principal, String question, String by) implements GatewayEvent {}

    /**
     * A session was refused.
     *
     * @param principal to whom
     * @param reason one of {@code outside_root} and {@code too_many_sessions}
     */
    record SessionRefused(Principal principal, String reason) implements GatewayEvent {}

    /**
     * A question was not reported to the webhook, after all attempts.
     *
     * @param reason one of {@code private_address}, {@code unknown_host}, {@code no_connection}, {@code tls},
     *     {@code no_answer}, {@code too_many_reports}, {@code interrupted} and {@code failed}, or a status such as
     *     {@code status_500}
     */
    record WebhookFailed(String reason) implements GatewayEvent {}
}
