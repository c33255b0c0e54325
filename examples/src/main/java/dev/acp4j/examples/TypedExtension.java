package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.OptionalMember;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A method of one's own with records for its parameters and its result. The annotation processor {@code acp4j-codegen}
 * writes their codecs.
 */
final class TypedExtension {
    /** What to review. */
    @Codable
    record Review(
            String path,
            @Nullable Integer line,
            @OptionalMember List<ContentBlock> notes,
            Rest rest) implements Extensible {}

    /** What came of it. */
    @Codable
    record Verdict(boolean good, @OptionalMember List<String> remarks, Rest rest) implements Extensible {}

    private static final Method<Review, Verdict> REVIEW = Method.request(
            "_example.com/review",
            Method.Side.AGENT,
            TypedExtensionReviewCodec.INSTANCE,
            TypedExtensionVerdictCodec.INSTANCE);

    private static Verdict review(Review review) {
        boolean good = review.notes().size() < 2;
        return new Verdict(
                good, List.of(review.path() + " has " + review.notes().size() + " note"), Rest.NONE);
    }

    public static void main(String[] args) throws InterruptedException {
        var ends = MemoryTransport.pair();
        var agent = Agent.builder("reviewer", "1.0")
                .onPrompt(turn -> turn.message("hello"))
                .on(REVIEW, (client, review) -> review(review))
                .build();
        try (var served = agent.connect(ends.left());
                var connected = Client.builder("caller", "1.0").connect(ends.right())) {
            Review review = new Review("/src/Main.java", 7, List.of(ContentBlock.text("why?")), Rest.NONE);
            Verdict verdict = connected.call(REVIEW, review);
            System.out.println((verdict.good() ? "good: " : "bad: ") + String.join("; ", verdict.remarks()));
            System.out.println("served by protocol version " + served.protocolVersion());
        }
    }
}
