package dev.acp4j.http.gateway;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.http.Pages;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.rpc.Time;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Links with which one question is answered without another credential, once and within 15 minutes. The secret of a
 * link stands in the fragment of its address, which no server sees and no preview sends; the page sends it in a header.
 * So whoever only opens the address answers nothing, and learns nothing but that question.
 *
 * <p>The lock guards the links. Nothing is called while it is held.
 */
final class ApprovalLinks {
    private static final String PATH = ApprovalPages.PATH + "/link";
    private static final Duration VALID = Duration.ofMinutes(15);

    /** What a link may answer: an answer for always is for who has a credential. */
    private static final List<String> KINDS = List.of("allow_once", "reject_once");

    private record Link(OpenQuestion question, long until) {}

    private final SecureRandom random = new SecureRandom();
    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<String, Link> links = new HashMap<>();

    ApprovalLinks(Time time) {
        this.time = time;
    }

    /** Makes a link to a question. Returns its secret. */
    String issue(OpenQuestion question) {
        byte[] bytes = new byte[32];
        random.nextBytes(bytes);
        String secret = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        lock.lock();
        try {
            links.put(secret, new Link(question, time.nanoTime() + VALID.toNanos()));
        } finally {
            lock.unlock();
        }
        return secret;
    }

    /** Forgets the links to a question that is no longer open. */
    void closed(OpenQuestion question) {
        lock.lock();
        try {
            links.values().removeIf(link -> link.question.equals(question));
        } finally {
            lock.unlock();
        }
    }

    private @Nullable OpenQuestion find(Optional<String> secret) {
        long now = time.nanoTime();
        lock.lock();
        try {
            links.values().removeIf(link -> now - link.until >= 0);
            Link link = secret.map(links::get).orElse(null);
            return link == null ? null : link.question;
        } finally {
            lock.unlock();
        }
    }

    /** Answers a request with a link; empty for other paths. */
    Optional<Pages.Page> answer(Pages.Request request) throws IOException, InterruptedException {
        return switch (request.path()) {
            case PATH ->
                Optional.of(request.method().equals("GET") ? question(request) : ApprovalPages.notAllowed("GET"));
            case PATH + "/allow" -> Optional.of(decide(request, "allow_once"));
            case PATH + "/reject" -> Optional.of(decide(request, "reject_once"));
            case PATH + "/input" -> Optional.of(give(request));
            default -> Optional.empty();
        };
    }

    private Pages.Page question(Pages.Request request) {
        OpenQuestion question = find(request.bearerToken());
        if (question == null) {
            return unknown();
        }
        Map<String, JsonValue> shown =
                new LinkedHashMap<>(ApprovalPages.shown(question, option -> KINDS.contains(option.kind()))
                        .members());
        shown.remove("session");
        return ApprovalPages.json(200, JsonObject.of(shown).toString());
    }

    private Pages.Page decide(Pages.Request request, String kind) {
        if (!request.method().equals("POST")) {
            return ApprovalPages.notAllowed("POST");
        }
        OpenQuestion question = find(request.bearerToken());
        if (question == null) {
            return unknown();
        }
        return question.text().options().stream()
                .filter(option -> option.kind().equals(kind))
                .findFirst()
                .map(option -> ApprovalPages.choose(question, option.id(), "link"))
                .orElseGet(ApprovalPages::unknownOption);
    }

    private Pages.Page give(Pages.Request request) throws IOException, InterruptedException {
        if (!request.method().equals("POST")) {
            return ApprovalPages.notAllowed("POST");
        }
        OpenQuestion question = find(request.bearerToken());
        InputForm input = question == null ? null : question.input();
        if (question == null || input == null) {
            return unknown();
        }
        JsonObject body = ApprovalPages.body(request, question.principal());
        return body == null
                ? ApprovalPages.invalid("{\"action\": …, \"content\": …}")
                : ApprovalPages.give(question, input, body, "link");
    }

    private static Pages.Page unknown() {
        return ApprovalPages.refused(
                404, "link_unknown", "the link was used, is too old, or its question is no longer open");
    }
}
