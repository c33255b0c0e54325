package dev.acp4j.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.cjk.CJKBigramFilter;
import org.apache.lucene.analysis.en.PorterStemFilter;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;

/** Converts text of a workspace to search terms: words, identifiers and their parts, in lower case, by word stem. */
final class CodeAnalyzer extends Analyzer {
    @Override
    protected TokenStreamComponents createComponents(String field) {
        Tokenizer words = new StandardTokenizer();
        TokenStream terms = new PorterStemFilter(new CodeWordsFilter(new CJKBigramFilter(words)));
        return new TokenStreamComponents(words, terms);
    }

    /** Returns the terms of {@code text} in order, with repetitions. */
    List<String> terms(String text) {
        List<String> terms = new ArrayList<>();
        try (TokenStream stream = tokenStream("text", text)) {
            CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
            stream.reset();
            while (stream.incrementToken()) {
                terms.add(term.toString());
            }
            stream.end();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // a string cannot fail to be read
        }
        return terms;
    }
}
