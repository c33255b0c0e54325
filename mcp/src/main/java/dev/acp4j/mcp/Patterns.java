package dev.acp4j.mcp;

import dev.harrel.jsonschema.EvaluationContext;
import dev.harrel.jsonschema.Evaluator;
import dev.harrel.jsonschema.EvaluatorFactory;
import dev.harrel.jsonschema.JsonNode;
import dev.harrel.jsonschema.SchemaParsingContext;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * The keywords of schemas with regular expressions. A server can name one that takes exponential time, and the JDK
 * neither bounds nor interrupts it, so the steps of a check are counted: they are bounded, and an interrupt ends it.
 */
final class Patterns {
    /** What a check may take: about a second. */
    private static final int MOST_STEPS = 100_000_000;

    private static final ThreadLocal<Steps> STEPS = ThreadLocal.withInitial(Steps::new);

    private Patterns() {}

    static EvaluatorFactory keywords() {
        return new EvaluatorFactory.Builder()
                .withKeyword("pattern", Text::new)
                .withKeyword("patternProperties", Names::new)
                .build();
    }

    /** Runs a check, whose steps are counted anew. */
    static <T> T counted(Supplier<T> check) {
        try {
            return check.get();
        } finally {
            STEPS.remove();
        }
    }

    private static boolean find(Pattern pattern, String text) {
        return pattern.matcher(new Counted(text, STEPS.get(), pattern)).find();
    }

    private static final class Steps {
        private int taken;

        void take(Pattern pattern) {
            taken++;
            if (taken > MOST_STEPS) {
                throw new IllegalArgumentException("the pattern takes too long: " + pattern);
            }
            if (taken % 1024 == 0 && Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("interrupted");
            }
        }
    }

    /** A text that counts how often it is read. */
    private record Counted(CharSequence text, Steps steps, Pattern pattern) implements CharSequence {
        @Override
        public int length() {
            return text.length();
        }

        @Override
        public char charAt(int index) {
            steps.take(pattern);
            return text.charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return new Counted(text.subSequence(start, end), steps, pattern);
        }

        @Override
        public String toString() {
            return text.toString();
        }
    }

    /** {@code pattern}. */
    private static final class Text implements Evaluator {
        private final Pattern pattern;

        Text(JsonNode node) {
            this.pattern = Pattern.compile(node.asString());
        }

        @Override
        public Result evaluate(EvaluationContext context, JsonNode node) {
            return !node.isString() || find(pattern, node.asString())
                    ? Result.success()
                    : Result.failure("\"" + node.asString() + "\" does not match regular expression [" + pattern + "]");
        }
    }

    /** {@code patternProperties}. */
    private static final class Names implements Evaluator {
        private final Map<Pattern, String> schemas = new HashMap<>();

        Names(SchemaParsingContext context, JsonNode node) {
            node.asObject()
                    .forEach(
                            (pattern, schema) -> schemas.put(Pattern.compile(pattern), context.getAbsoluteUri(schema)));
        }

        @Override
        public Result evaluate(EvaluationContext context, JsonNode node) {
            if (!node.isObject()) {
                return Result.success();
            }
            boolean isValid = true;
            Set<String> matched = new HashSet<>();
            for (Map.Entry<String, JsonNode> member : node.asObject().entrySet()) {
                for (Map.Entry<Pattern, String> schema : schemas.entrySet()) {
                    if (find(schema.getKey(), member.getKey())) {
                        matched.add(member.getKey());
                        isValid &= context.resolveInternalRefAndValidate(schema.getValue(), member.getValue());
                    }
                }
            }
            // Other keywords read what has matched.
            return isValid ? Result.success(Set.copyOf(matched)) : Result.failure();
        }
    }
}
