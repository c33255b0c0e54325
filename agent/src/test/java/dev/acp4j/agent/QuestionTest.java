package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class QuestionTest {
    private static List<String> strong(String sentence) {
        return Question.of(sentence).words().stream()
                .filter(Question.Word::isStrong)
                .map(Question.Word::text)
                .toList();
    }

    @Test
    void wordsThatOnlyMakeAQuestionAreDropped() {
        assertThat(strong("which files deal with cancellation?")).containsExactly("cancellation");
        assertThat(strong("Where is the retry policy implemented?")).containsExactly("retry", "policy");
        assertThat(strong("How does the agent's session loading work?")).containsExactly("agent", "session", "loading");
    }

    @Test
    void wordsOfEveryQuestionCountWhenThereAreNoOthers() {
        assertThat(strong("where are files handled?")).containsExactly("files", "handled");
    }

    @Test
    void aSentenceWithoutContentIsEmpty() {
        assertThat(Question.of("what is this?").isEmpty()).isTrue();
        assertThat(Question.of("???").isEmpty()).isTrue();
        assertThat(Question.of("1+1").isEmpty()).isTrue();
        assertThat(Question.of("what is 7 * 6?").isEmpty()).isTrue();
        assertThat(strong("who listens on 8080?")).containsExactly("listens", "8080");
    }

    @Test
    void quotedTextIsAPhrase() {
        Question question = Question.of("who prints \"is on its way\" and `HttpClient`?");

        assertThat(question.phrases()).containsExactly("is on its way");
        assertThat(strong("who prints \"is on its way\" and `HttpClient`?")).containsExactly("prints", "HttpClient");
    }

    @Test
    void namesAndPathsStayWhole() {
        assertThat(strong("what does src/main/App.java do, and Foo.bar?"))
                .containsExactly("src/main/App.java", "Foo.bar");
    }

    @Test
    void aNamedLanguageLimitsTheFiles() {
        Question question = Question.of("which TypeScript files keep the basket?");

        assertThat(question.extensions()).contains("ts", "tsx");
        assertThat(question.words()).extracting(Question.Word::text).doesNotContain("TypeScript");
        assertThat(Question.of("where do we go in c?").extensions()).isEmpty();
    }

    @Test
    void askingForADefinitionOrForTestsIsNoticed() {
        assertThat(Question.of("where is Order defined").asksFor(Question.Aim.DEFINITION))
                .isTrue();
        assertThat(Question.of("which tests cover refunds").asksFor(Question.Aim.TESTS))
                .isTrue();
        assertThat(Question.of("who uses Order").aims()).containsExactly(Question.Aim.USES);
        assertThat(strong("find usages of Meta.empty")).containsExactly("Meta.empty");
        assertThat(strong("who are the callers of cancel?")).containsExactly("cancel");
    }

    @Test
    void ofALongTextTheNamesAreKept() {
        StringBuilder text = new StringBuilder("Exception in thread main at org.example.OrderService.cancel ");
        for (int i = 0; i < 5_000; i++) {
            text.append("word")
                    .append(Integer.toString(i, 36).replaceAll("[0-9]", "q"))
                    .append(' ');
        }
        text.append("RefundPolicy");

        assertThat(strong(text.toString())).hasSizeLessThanOrEqualTo(16).contains("RefundPolicy");
    }
}
