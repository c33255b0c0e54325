package dev.acp4j.http.gateway;

import dev.acp4j.http.Pages;
import dev.acp4j.http.Principal;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The page on which a user answers open questions. The page itself is static and needs no credential; it asks for the
 * questions with the user's token, and an answer is held until they change.
 */
final class ApprovalPages implements Pages {
    static final String PATH = "/approvals";
    /** How often a request is held for {@link #STEP}, after which its credential is looked at again. */
    private static final int STEPS = 4;

    private static final Duration STEP = Duration.ofSeconds(5);
    private static final int MOST_HELD = 16;
    private static final int ANSWER_BYTES = 1024 * 1024;
    private static final String JSON = "application/json";

    private static final Map<String, String> STATIC = Map.of(
            PATH,
            "approvals.html",
            PATH + "/approvals.js",
            "approvals.js",
            PATH + "/approvals.css",
            "approvals.css",
            PATH + "/approvals.svg",
            "approvals.svg");

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "svg", "image/svg+xml");

    private final Approvals approvals;

    /** How many requests of a principal may still be held. */
    private final Map<Principal, Semaphore> held = new ConcurrentHashMap<>();

    ApprovalPages(Approvals approvals) {
        this.approvals = approvals;
    }

    @Override
    public Optional<Page> answer(Request request) throws IOException, InterruptedException {
        String file = STATIC.get(request.path());
        if (file != null) {
            return Optional.of(request.method().equals("GET") ? page(file) : notAllowed("GET"));
        }
        return switch (request.path()) {
            case PATH + "/questions" ->
                Optional.of(request.method().equals("GET") ? questions(request) : notAllowed("GET"));
            case PATH + "/answers" ->
                Optional.of(request.method().equals("POST") ? answers(request) : notAllowed("POST"));
            default -> Optional.empty();
        };
    }

    private static Page page(String file) throws IOException {
        try (InputStream in = ApprovalPages.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IOException(file + " is missing");
            }
            String type = TYPES.getOrDefault(file.substring(file.indexOf('.') + 1), "");
            return Page.of(200, type, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    static Page notAllowed(String method) {
        return new Page(405, JSON, Map.of("Allow", method), refusal("method_not_allowed", method + " is"));
    }

    static Page json(int status, String json) {
        return Page.of(status, JSON, json);
    }

    static Page refused(int status, String reason, String message) {
        return json(status, refusal(reason, message));
    }

    private static String refusal(String reason, String message) {
        return JsonObject.of(Map.of("reason", JsonString.of(reason), "message", JsonString.of(message)))
                .toString();
    }

    // The questions.

    private Page questions(Request request) throws InterruptedException {
        Principal principal = request.principal();
        Approvals.Open open = approvals.open(principal);
        String version = open.version();
        if (request.query().equals("after=" + version)) {
            Semaphore permits = held.computeIfAbsent(principal, name -> new Semaphore(MOST_HELD));
            if (!permits.tryAcquire()) {
                return new Page(
                        429, JSON, Map.of("Retry-After", "5"), refusal("too_many_requests", "too many pages wait"));
            }
            try {
                for (int step = 0; step < STEPS && open.version().equals(version); step++) {
                    approvals.await(principal, version, STEP);
                    // The credential may have been revoked meanwhile.
                    principal = request.principal();
                    open = approvals.open(principal);
                }
            } finally {
                permits.release();
            }
        }
        List<JsonValue> questions = new ArrayList<>();
        open.questions().forEach(question -> questions.add(shown(question, option -> true)));
        Map<String, JsonValue> body = new LinkedHashMap<>();
        body.put("version", JsonString.of(open.version()));
        body.put("principal", JsonString.of(principal.name()));
        body.put("questions", new JsonArray(questions));
        return json(200, JsonObject.of(body).toString());
    }

    /** Returns a question as the page shows it, with some of its options. */
    static JsonObject shown(OpenQuestion question, Predicate<QuestionText.Option> offered) {
        QuestionText text = question.text();
        Map<String, JsonValue> shown = new LinkedHashMap<>();
        shown.put("id", JsonString.of(question.id()));
        shown.put("session", JsonString.of(question.session()));
        shown.put("title", JsonString.of(text.title()));
        shown.put("kind", JsonString.of(text.kind()));
        shown.put(
                "details",
                new JsonArray(text.details().stream()
                        .map(detail -> (JsonValue) JsonString.of(detail))
                        .toList()));
        List<JsonValue> options = new ArrayList<>();
        for (QuestionText.Option option :
                text.options().stream().filter(offered).toList()) {
            options.add(JsonObject.of(Map.of(
                    "id", JsonString.of(option.id()),
                    "name", JsonString.of(option.name()),
                    "kind", JsonString.of(option.kind()))));
        }
        shown.put("options", new JsonArray(options));
        InputForm input = question.input();
        if (input != null) {
            shown.put("input", input.shown());
        }
        return JsonObject.of(shown);
    }

    // The answers.

    private Page answers(Request request) throws IOException, InterruptedException {
        Principal principal = request.principal();
        JsonObject body = body(request, principal);
        if (body == null) {
            return invalid("{\"question\": …, \"option\": …} or {\"question\": …, \"action\": …, \"content\": …}");
        }
        OpenQuestion question =
                approvals.find(principal, body.text("question").orElse("")).orElse(null);
        if (question == null) {
            return closed();
        }
        InputForm input = question.input();
        if (input != null) {
            return give(question, input, body, "page");
        }
        String option = body.text("option").orElse("");
        boolean offered =
                question.text().options().stream().anyMatch(each -> each.id().equals(option));
        if (!offered) {
            return unknownOption();
        }
        return choose(question, option, "page");
    }

    /** Returns the object that is the body of a request; null if it is none. */
    static @Nullable JsonObject body(Request request, Principal owner) throws IOException, InterruptedException {
        try {
            return RawJson.parse(request.body(ANSWER_BYTES, owner)).value() instanceof JsonObject object
                    ? object
                    : null;
        } catch (JsonException e) {
            return null;
        }
    }

    static Page unknownOption() {
        return refused(400, "unknown_option", "the question has no such option");
    }

    /** Answers a question with one of its options. */
    static Page choose(OpenQuestion question, String option, String from) {
        RawJson result =
                RawJson.parse("{\"outcome\":{\"outcome\":\"selected\",\"optionId\":" + RawJson.string(option) + "}}");
        return answer(question, result, from);
    }

    /** Answers a request for input, if the answer fits it. */
    static Page give(OpenQuestion question, InputForm input, JsonObject body, String from) {
        try {
            return answer(question, input.answer(body), from);
        } catch (InputForm.Unfit e) {
            return refused(400, "invalid_input", String.valueOf(e.getMessage()));
        }
    }

    private static Page answer(OpenQuestion question, RawJson result, String from) {
        return switch (question.answer(result, from)) {
            case ACCEPTED -> json(200, "{\"outcome\":\"accepted\"}");
            case CLOSED -> closed();
            case TOO_EARLY ->
                new Page(
                        503,
                        JSON,
                        Map.of("Retry-After", "1"),
                        refusal("too_early", "the question has only just been asked; try again"));
        };
    }

    static Page invalid(String expected) {
        return refused(400, "invalid_answer", "expected " + expected + " as JSON");
    }

    private static Page closed() {
        return refused(409, "already_answered", "the question was answered or is no longer open");
    }
}
