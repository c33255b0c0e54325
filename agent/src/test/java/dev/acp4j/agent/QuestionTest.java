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
        assertThat(Question.of("where is Order defined").asksForDefinition()).isTrue();
        assertThat(Question.of("which tests cover refunds").asksForTests()).isTrue();
        assertThat(Question.of("who uses Order").asksForDefinition()).isFalse();
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
