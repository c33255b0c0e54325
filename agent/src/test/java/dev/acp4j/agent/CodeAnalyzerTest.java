package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CodeAnalyzerTest {
    private final CodeAnalyzer analyzer = new CodeAnalyzer();

    @Test
    void anIdentifierIsFoundAsAWholeAndByItsWords() {
        assertThat(analyzer.terms("jsonReader")).containsExactly("jsonread", "json", "reader");
        assertThat(analyzer.terms("json_reader")).containsExactly("jsonread", "json", "reader");
        assertThat(analyzer.terms("XMLHttpRequest")).containsExactly("xmlhttprequest", "xml", "http", "request");
    }

    @Test
    void wordFormsShareAStem() {
        assertThat(analyzer.terms("cancel cancelled cancelling cancellation")).containsOnly("cancel");
    }

    @Test
    void aDottedNameIsTakenApart() {
        assertThat(analyzer.terms("org.example.UserService")).contains("org", "exampl", "user", "userservic");
        assertThat(analyzer.terms("pom.xml")).containsExactly("pom", "xml");
    }

    @Test
    void numbersStayAsTheyAre() {
        assertThat(analyzer.terms("error 32800 in utf8 and SHA256")).contains("32800", "utf8", "sha256");
    }

    @Test
    void overlongWordsAreLeftOut() {
        assertThat(analyzer.terms("a " + "f".repeat(100) + " b")).containsExactly("a", "b");
    }

    @Test
    void scriptsWithoutSpacesAreFoundByPairsOfCharacters() {
        assertThat(analyzer.terms("取消请求")).containsExactly("取消", "消请", "请求");
    }
}
