package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.schema.ContentBlock;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Questions as people type them: with slips, in other languages, about uses, or about nothing that can be found. */
class ReferenceAgentQuestionTest extends ShopSession {
    private String ask(String question, String file) throws Exception {
        String address = shop().path(file).toUri().toString();
        return text(session().prompt(List.of(ContentBlock.text(question), ContentBlock.resourceLink(file, address))));
    }

    @Test
    void aSlipIsAnsweredByWhatWasMeant() throws Exception {
        assertThat(say("where are refnds and pasword hashed?"))
                .contains("No file has *refnds*, but there is *refund")
                .containsPattern("for \\*refund.*\\*password")
                .doesNotContainPattern("for .*refnds.*:");
    }

    @Test
    void wordsOfAnotherLanguageAreNotFoundInLookAlikes() throws Exception {
        shop().file("notes.txt", "they were here\nthe ext is txt\nbefore eot comes esc\n");

        assertThat(say("wo werden Sitzungen abgelegt")).startsWith("Nothing found for");
        assertThat(say("o\u00f9 est la facture"))
                .startsWith("Nothing found for")
                .doesNotContain("Words that look");
    }

    @Test
    void theNearestWordIsTakenAndNoOther() throws Exception {
        shop().file("docs/lucene.md", "Lucene, Lucene, lucene\n").file("LICENSE", "Apache License\n");

        assertThat(say("what licence is this")).contains("LICENSE:1").doesNotContain("lucene.md");
    }

    @Test
    void aShortFormIsAlsoFoundByItsLongOne() throws Exception {
        shop().file(
                        "src/Links.java",
                        "class Links {\n    boolean isSymbolicLink() {\n        return true;\n    }\n}\n");

        assertThat(say("which class reads symlinks"))
                .contains("No file has *symlinks*.")
                .contains("for *reads*, “symbolic link”")
                .contains("src/Links.java:2");
    }

    @Test
    void whoAsksForUsesIsNotShownTheDefinitionFirst() throws Exception {
        shop().file("src/Renderer.java", "/** Renderer. */\nclass Renderer {\n    Renderer(int a) {\n    }\n}\n")
                .file("src/Page.java", "class Page {\n    void show() {\n        draw(new Renderer(3));\n    }\n}\n");

        for (String question : List.of("who calls Renderer?", "find usages of Renderer", "where is Renderer used")) {
            assertThat(say(question)).containsPattern("(?s)^[^`]*`src/Page.java:3`.*src/Renderer.java");
        }
        assertThat(say("where is Renderer defined?")).containsPattern("^[^`]*`src/Renderer.java:2`");
    }

    @Test
    void whatIsNoWordIsNotSearchedFor() throws Exception {
        assertThat(say("1+1")).contains("nothing to search for in that");
        assertThat(session().view().toolCalls()).isEmpty();
    }

    @Test
    void notesAndRecentChangesAreListed() throws Exception {
        Files.setLastModifiedTime(
                shop().path("web/cart.ts"), FileTime.from(Instant.now().plusSeconds(60)));

        assertThat(say("list all TODOs")).contains("TODO: show a spinner").doesNotContain("Java: ");
        assertThat(say("/summary everything")).contains("/summary notes");
        assertThat(say("what files changed recently?")).startsWith("Changed last:\n\n- `web/cart.ts` 2");
        assertThat(say("/files --recent *.md")).contains("README.md").doesNotContain("cart.ts");
    }

    @Test
    void ofALongQuestionItIsSaidWhatWasLeftOut() throws Exception {
        StringBuilder words = new StringBuilder("RefundPolicy");
        for (int i = 0; i < 3_000; i++) {
            words.append(" zeta").append(i);
        }

        assertThat(say(words.toString())).startsWith("That is long: I looked for 8 of its 3,001 words.");
    }

    @Test
    void anAttachedFileIsOutlinedWithWhatItSaysOfItself() throws Exception {
        shop().file("py/config.py", """
                #!/usr/bin/env python3
                # Copyright 2020 Somebody

                \"""Reads the settings.

                Later ones win.
                \"""
                import json

                def load(path):
                    \"""Reads one file.\"""
                    with open(path) as fh:
                        return json.load(fh)
                """);

        assertThat(ask("what does this do", "py/config.py"))
                .contains("13 lines of Python")
                .contains("> Reads the settings.\n>\n> Later ones win.\n")
                .contains("`py/config.py:10` `def load(path):` Reads one file.\n")
                .doesNotContain("with open", "Copyright", "Ask something");
        assertThat(ask("", "web/cart.ts")).endsWith("Ask something, and I look for it there.\n");
        assertThat(ask("what is this?", "server/src/main/java/shop/payment/RefundPolicy.java"))
                .contains("> How much money");
    }
}
