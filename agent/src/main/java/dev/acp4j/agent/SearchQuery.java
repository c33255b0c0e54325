package dev.acp4j.agent;

import static org.apache.lucene.search.BooleanClause.Occur.MUST;
import static org.apache.lucene.search.BooleanClause.Occur.SHOULD;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.DisjunctionMaxQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.util.QueryBuilder;
import org.jspecify.annotations.Nullable;

/** A question as a query of the search library: each term in all fields, where the best field decides, and phrases. */
final class SearchQuery {
    private static final float TIE = 0.25f;
    private static final float QUOTED = 3f;
    private static final float NEIGHBOURS = 0.6f;
    private static final float ENTRY = 4f;
    private static final float SETUP = 1f;
    private static final int SLOP = 3;

    private final Question question;
    private final List<SearchTerm> terms;
    private final QueryBuilder phrases;

    SearchQuery(Question question, List<SearchTerm> terms, CodeAnalyzer analyzer) {
        this.question = question;
        this.terms = terms;
        this.phrases = new QueryBuilder(analyzer);
    }

    /** The whole query, for ranking. */
    Query toLucene() {
        BooleanQuery.Builder needed = new BooleanQuery.Builder();
        BooleanQuery.Builder all = new BooleanQuery.Builder();
        for (List<SearchTerm> group : groups()) {
            BooleanQuery.Builder to = group.getFirst().isWeak() ? all : needed;
            to.add(bestOf(group), SHOULD);
        }
        for (String phrase : question.phrases()) {
            add(needed, phrase, 0, QUOTED);
        }
        if (question.asksFor(Question.Aim.ENTRY)) {
            needed.add(
                    new BoostQuery(new TermQuery(new Term(WorkspaceIndex.SYMBOL, Definitions.ENTRY)), ENTRY), SHOULD);
        }
        all.add(needed.build(), MUST);
        if (question.asksFor(Question.Aim.SETUP)) {
            for (String name : Prior.PREREQUISITES) {
                all.add(new BoostQuery(new TermQuery(new Term(WorkspaceIndex.NAME, name)), SETUP), SHOULD);
            }
        }
        List<Question.Word> words = question.words();
        for (Question.Word word : words) {
            add(all, word.text(), 0, NEIGHBOURS);
        }
        for (int i = 0; i + 1 < words.size(); i++) {
            float weight = Math.min(words.get(i).weight(), words.get(i + 1).weight());
            String pair = words.get(i).text() + ' ' + words.get(i + 1).text();
            add(all, pair, SLOP, NEIGHBOURS * weight);
        }
        return all.build();
    }

    /** What a file must have to count as a match. */
    Query strongOnly() {
        BooleanQuery.Builder any = new BooleanQuery.Builder();
        for (SearchTerm term : terms) {
            if (term.exact() && term.weight() >= 1) {
                any.add(inAllFields(term), SHOULD);
            }
        }
        for (String phrase : question.phrases()) {
            add(any, phrase, 0, 1);
        }
        return any.build();
    }

    private void add(BooleanQuery.Builder to, String phrase, int slop, float weight) {
        @Nullable Query query = phrases.createPhraseQuery(WorkspaceIndex.BODY, phrase, slop);
        if (query != null) {
            to.add(new BoostQuery(query, weight), SHOULD);
        }
    }

    private Collection<List<SearchTerm>> groups() {
        Map<String, List<SearchTerm>> groups = new LinkedHashMap<>();
        for (SearchTerm term : terms) {
            groups.computeIfAbsent(term.group(), g -> new ArrayList<>()).add(term);
        }
        return groups.values();
    }

    private static Query bestOf(List<SearchTerm> group) {
        List<Query> queries = new ArrayList<>();
        for (SearchTerm term : group) {
            queries.add(new BoostQuery(inAllFields(term), term.weight()));
        }
        return queries.size() == 1 ? queries.getFirst() : new DisjunctionMaxQuery(queries, 0);
    }

    private static Query inAllFields(SearchTerm term) {
        List<Query> fields = new ArrayList<>();
        fields.add(in(WorkspaceIndex.NAME, term, 2.5f));
        fields.add(in(WorkspaceIndex.SYMBOL, term, 2f));
        fields.add(in(WorkspaceIndex.PATH, term, 1.2f));
        fields.add(in(WorkspaceIndex.ABOUT, term, 1.3f));
        fields.add(in(WorkspaceIndex.BODY, term, 1f));
        if (term.isWholeName()) {
            fields.add(in(WorkspaceIndex.TYPE, term, 2.5f));
        }
        return new DisjunctionMaxQuery(fields, TIE);
    }

    private static Query in(String field, SearchTerm term, float boost) {
        return new BoostQuery(new TermQuery(new Term(field, term.text())), boost);
    }
}
