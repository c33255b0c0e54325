package dev.acp4j.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.LineReader;
import org.jline.reader.impl.CompletionMatcherImpl;

/** Offers all that the completer has found for a word that begins with an {@code @}: also files in other folders. */
final class MentionMatcher extends CompletionMatcherImpl {
    @Override
    protected void defaultMatchers(
            Map<LineReader.Option, Boolean> options,
            boolean prefix,
            CompletingParsedLine line,
            boolean caseInsensitive,
            int errors,
            String originalGroupName) {
        super.defaultMatchers(options, prefix, line, caseInsensitive, errors, originalGroupName);
        if (line.word().startsWith("@")) {
            matchers = new ArrayList<>(List.of(simpleMatcher(found -> true)));
        }
    }
}
