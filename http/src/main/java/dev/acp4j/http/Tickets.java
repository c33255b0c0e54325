package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Time;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Tickets with which a web page opens a WebSocket, for which browsers send no header {@code Authorization}. A page gets
 * one by an authenticated POST, and offers it as a second subprotocol; it counts once, within a minute, for the same
 * origin. The first subprotocol is the one that is accepted, so the ticket is never sent back.
 *
 * <p>The lock guards the tickets. Nothing is called while it is held.
 */
final class Tickets {
    /** Behind the path of the endpoint. */
    static final String PATH = "/ticket";

    private static final String PREFIX = Wire.SUBPROTOCOL + "-ticket.";
    private static final Duration VALID = Duration.ofSeconds(60);

    /** Of one principal, so that nobody fills the memory. */
    private static final int MOST_OPEN = 64;

    /**
     * A ticket that was not used yet.
     *
     * @param connection the connection that the WebSocket goes on with; null for a new one
     */
    record Ticket(
            Authenticator.Allowed caller,
            String origin,
            @Nullable String connection,
            long until) {}

    private final SecureRandom random;
    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();

    /** By the digest of the ticket, so that the time of a look-up tells nothing of it. */
    @GuardedBy("lock")
    private final Map<String, Ticket> tickets = new LinkedHashMap<>();

    Tickets(SecureRandom random, Time time) {
        this.random = random;
        this.time = time;
    }

    /** Answers who asks for a ticket. */
    Answer issue(Exchange exchange, Authenticator.Allowed caller) {
        String origin = exchange.header("Origin");
        if (origin == null) {
            throw new Refusal(400, "origin_missing", "tickets are for web pages: others send Authorization");
        }
        byte[] bytes = new byte[32];
        random.nextBytes(bytes);
        String ticket = PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        long now = time.nanoTime();
        lock.lock();
        try {
            tickets.values().removeIf(each -> now - each.until >= 0);
            long open = tickets.values().stream()
                    .filter(each -> each.caller.principal().equals(caller.principal()))
                    .count();
            if (open >= MOST_OPEN) {
                throw new Refusal(Answer.refusal(429, "too_many_tickets", "too many tickets were not used")
                        .with("Retry-After", Long.toString(VALID.toSeconds())));
            }
            tickets.put(
                    Guesses.digest(ticket),
                    new Ticket(caller, origin, exchange.header(Wire.CONNECTION_ID), now + VALID.toNanos()));
        } finally {
            lock.unlock();
        }
        Map<String, JsonValue> body = new LinkedHashMap<>();
        body.put("protocols", JsonArray.of(JsonString.of(Wire.SUBPROTOCOL), JsonString.of(ticket)));
        body.put("expiresInSeconds", JsonNumber.of(VALID.toSeconds()));
        return Answer.json(200, RawJson.of(JsonObject.of(body)));
    }

    /** Returns the ticket that an upgrade offers; null when it offers none. */
    @Nullable
    Ticket use(Exchange exchange) {
        String offered = exchange.header("Sec-WebSocket-Protocol");
        for (String protocol : offered == null ? new String[0] : offered.split(",")) {
            if (protocol.strip().startsWith(PREFIX)) {
                Ticket ticket = use(protocol.strip(), exchange.header("Origin"));
                exchange.caller(ticket.caller.principal());
                return ticket;
            }
        }
        return null;
    }

    private Ticket use(String text, @Nullable String origin) {
        Ticket ticket;
        lock.lock();
        try {
            ticket = tickets.remove(Guesses.digest(text));
        } finally {
            lock.unlock();
        }
        boolean counts = ticket != null
                && time.nanoTime() - ticket.until < 0
                && ticket.origin.equals(origin)
                && ticket.caller.valid().getAsBoolean();
        if (ticket == null || !counts) {
            throw new Refusal(
                    Answer.refusal(401, "ticket_invalid", "the ticket was used, is too old or of another page")
                            .with("WWW-Authenticate", "Bearer"));
        }
        return ticket;
    }
}
