package dev.acp4j.http.gateway;

import dev.acp4j.http.Pages;
import dev.acp4j.http.Principal;
import java.io.IOException;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The pages of a gateway: for users beside the endpoint, and for operators at a port of their own.
 *
 * @param questions where users answer questions
 * @param links where one question is answered with a link
 * @param metrics the numbers as Prometheus reads them
 */
record GatewayPages(ApprovalPages questions, ApprovalLinks links, Supplier<String> metrics) implements Pages {
    @Override
    public Optional<Page> answer(Request request) throws IOException, InterruptedException {
        if (request.path().equals("/metrics")) {
            Principal unused = request.principal();
            return Optional.of(numbers());
        }
        Optional<Page> link = links.answer(request);
        return link.isPresent() ? link : questions.answer(request);
    }

    /** Returns the pages that need no credential, as nobody else reaches their port. */
    Pages operations(BooleanSupplier ready) {
        return request -> switch (request.path()) {
            case "/health" -> Optional.of(Page.of(200, "application/json", "{\"live\":true}"));
            case "/ready" -> {
                boolean isReady = ready.getAsBoolean();
                yield Optional.of(Page.of(isReady ? 200 : 503, "application/json", "{\"ready\":" + isReady + "}"));
            }
            case "/metrics" -> Optional.of(numbers());
            default -> Optional.empty();
        };
    }

    private Page numbers() {
        return Page.of(200, "text/plain; version=0.0.4; charset=utf-8", metrics.get());
    }
}
