package dev.acp4j.nes;

import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Range;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which context an agent uses. A client adds no other to a request for suggestions. The default is none.
 *
 * @param recentFiles present for {@link SuggestContext#recentFiles()}
 * @param relatedSnippets present for {@link SuggestContext#relatedSnippets()}
 * @param editHistory present for {@link SuggestContext#editHistory()}
 * @param userActions present for {@link SuggestContext#userActions()}
 * @param openFiles present for {@link SuggestContext#openFiles()}
 * @param diagnostics present for {@link SuggestContext#diagnostics()}
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Codable
@Unstable
public record ContextKinds(
        @DefaultOnError @Nullable AtMost recentFiles,
        @DefaultOnError @Nullable Supported relatedSnippets,
        @DefaultOnError @Nullable AtMost editHistory,
        @DefaultOnError @Nullable AtMost userActions,
        @DefaultOnError @Nullable Supported openFiles,
        @DefaultOnError @Nullable Supported diagnostics,
        Rest rest)
        implements Extensible {
    /** No context. */
    public static final ContextKinds NONE = new ContextKinds(null, null, null, null, null, null, Rest.NONE);

    /** All context, as much of it as a client has. */
    public static final ContextKinds ALL = new ContextKinds(
            AtMost.of(null),
            Supported.of(),
            AtMost.of(null),
            AtMost.of(null),
            Supported.of(),
            Supported.of(),
            Rest.NONE);

    public ContextKinds {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder without any context. */
    public static ContextKindsBuilder builder() {
        return new ContextKindsBuilder();
    }

    /** Returns a builder initialized from this record. */
    public ContextKindsBuilder toBuilder() {
        return new ContextKindsBuilder(this);
    }

    /**
     * How much of a kind of context an agent uses.
     *
     * @param maxCount the greatest number of items, or null for any
     * @param rest extension data and unknown members
     */
    @Codable
    @Unstable
    public record AtMost(
            @DefaultOnError @Range(max = Integer.MAX_VALUE) @Nullable
            Integer maxCount,

            Rest rest) implements Extensible {
        public AtMost {
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the context with at most this many items, or any number for null. */
        public static AtMost of(@Nullable Integer maxCount) {
            return new AtMost(maxCount, Rest.NONE);
        }
    }
}
