package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ResourceContents;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolKind;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReferenceAgentTurnTest extends ShopSession {
    @Test
    void aQuestionIsAnsweredWithPlaces() throws Exception {
        String answer = say("which files deal with cancelling an order?");

        assertThat(answer)
                .contains("server/src/main/java/shop/order/OrderService.java:22")
                .contains("```java");
        assertThat(calls(ToolKind.SEARCH)).singleElement().satisfies(call -> {
            assertThat(call.status()).isEqualTo(ToolCallStatus.COMPLETED);
            assertThat(call.title()).isEqualTo("Search for cancelling order");
            assertThat(String.valueOf(call.rawInput())).contains("cancelling order");
            assertThat(String.valueOf(call.rawOutput())).contains("OrderService.java");
            assertThat(call.locations().getFirst().path())
                    .isEqualTo(shop().path("server/src/main/java/shop/order/OrderService.java")
                            .toString());
            assertThat(call.locations().getFirst().line()).isEqualTo(22);
        });
    }

    @Test
    void aQuestionWithoutAnAnswerIsAnsweredHonestly() throws Exception {
        assertThat(say("where is kubernetes configured?")).contains("No file has *kubernetes*");
        assertThat(say("kubernetes")).startsWith("Nothing found for *kubernetes*");
        assertThat(say("pasword hashing")).contains("No file has *pasword*, but there is *password");
    }

    @Test
    void greetingsAndThanksAreNotSearchedFor() throws Exception {
        assertThat(say("hello!")).startsWith("Hello!");
        assertThat(say("thank you")).isEqualTo("You are welcome.\n");
        assertThat(say("What can you do?")).contains("/replace").contains("without a model");
        assertThat(say("what is this?")).contains("/help");
        assertThat(session().view().toolCalls()).isEmpty();
    }

    @Test
    void filesAreListed() throws Exception {
        assertThat(say("/files")).startsWith("23 files").contains("`web/cart.ts`");
        assertThat(say("/files *.ts")).contains("2 files of 23").contains("web/http.ts");
        assertThat(say("/files refund")).contains("RefundPolicy.java").contains("RefundPolicyTest.java");
        assertThat(say("/files nowhere")).isEqualTo("No file matches `nowhere`.\n");
        assertThat(say("list files in docs")).contains("docs/returns.md");
    }

    @Test
    void filesAreSearchedByWordsOrLineByLine() throws Exception {
        assertThat(say("/search refund --in docs"))
                .contains("docs/returns.md:3")
                .doesNotContain("RefundPolicy.java:");
        assertThat(say("/search --exact giveBack"))
                .startsWith("2 lines in 2 files")
                .contains("CardPayment.java:15");
        assertThat(say("/search --regex 'Duration\\.of\\w+\\(\\d+\\)'")).startsWith("2 lines in 2 files");
        assertThat(say("/search --regex '('")).contains("not a regular expression");
        assertThat(say("/search")).contains("nothing to search for").contains("/search words");
        assertThat(say("/search x --nonsense")).contains("there is no option --nonsense");
    }

    @Test
    void aFileIsRead() throws Exception {
        assertThat(say("/read web/http.ts")).contains("**`web/http.ts:1`**").contains("3    const response");
        assertThat(say("/read web/http.ts:3-4")).contains("**`web/http.ts:3`**").doesNotContain("return response");
        assertThat(say("/read RefundPolicy.java")).contains("How much money a customer gets back");
        assertThat(say("show me web/http.ts")).contains("spinner");
        assertThat(say("/read Order")).contains("Do you mean").contains("OrderService.java");
        assertThat(calls(ToolKind.READ).getFirst().locations().getFirst().path())
                .isEqualTo(shop().path("web/http.ts").toString());
    }

    @Test
    void linesThatAFileDoesNotHaveAreNotMadeUp() throws Exception {
        assertThat(say("/read web/http.ts:99")).isEqualTo("`web/http.ts` has 8 lines.\n");
        assertThat(calls(ToolKind.READ).getFirst().status()).isEqualTo(ToolCallStatus.FAILED);
        for (String lines : List.of("0", "3-1", "-5", "3-", "")) {
            assertThat(say("/read web/http.ts:" + lines)).contains("lines are counted from 1 and go up");
        }
        assertThat(say("/read web/http.ts:7-99"))
                .contains("**`web/http.ts:7`**")
                .contains("8  ");
    }

    @Test
    void aFolderIsReadAsTheListOfItsFiles() throws Exception {
        assertThat(say("/read docs")).contains("2 files of 23").contains("docs/returns.md");
        assertThat(say("/read ./docs/")).contains("docs/returns.md");
        assertThat(say("/read .")).startsWith("23 files");
    }

    @Test
    void nothingOutsideTheWorkspaceIsRead() throws Exception {
        Files.writeString(elsewhere.resolve("secret.txt"), "secret words");
        Files.createSymbolicLink(folder.resolve("link.txt"), elsewhere.resolve("secret.txt"));

        assertThat(say("/read " + elsewhere.resolve("secret.txt")))
                .contains("no file")
                .doesNotContain("secret words");
        assertThat(say("/read ../" + elsewhere.getFileName() + "/secret.txt")).doesNotContain("secret words");
        assertThat(say("/read link.txt")).doesNotContain("secret words");
    }

    @Test
    void theWorkspaceIsSummedUp() throws Exception {
        String said = say("/summary");

        assertThat(said)
                .contains("A small web shop")
                .contains("23 files")
                .contains("Java: ")
                .contains("TODO: show a spinner")
                .contains("2 test files");
        assertThat(say("what is this project about?")).isEqualTo(said);
    }

    @Test
    void howToBuildIsKnownWithoutASearch() throws Exception {
        shop().file("Cargo.toml", "[package]\n");

        assertThat(say("How do I run the tests?"))
                .endsWith("This is built with Cargo (`Cargo.toml`); `/run cargo test` runs the tests.\n");
    }

    @Test
    void anUnknownCommandIsExplainedAndAPathIsNotACommand() throws Exception {
        assertThat(say("/nonsense"))
                .startsWith("There is no command `/nonsense`.")
                .contains("/search");
        assertThat(say("/orders path")).contains("There is no command");
        assertThat(say("/web/cart.ts checkout")).contains("web/cart.ts");
    }

    @Test
    void anAttachedFileIsWhereTheAnswerIsLookedFor() throws Exception {
        String answer = text(session()
                .prompt(List.of(
                        ContentBlock.text("where is the order?"),
                        ContentBlock.resourceLink(
                                "schema.sql",
                                shop().path("db/schema.sql").toUri().toString()))));

        assertThat(answer).contains("One file for *order*").contains("db/schema.sql:");
    }

    @Test
    void aFileThatTheQuestionNamesIsWhereTheAnswerIsLookedFor() throws Exception {
        assertThat(say("where does web/cart.ts post the order?"))
                .contains("One file")
                .contains("web/cart.ts:21");
        assertThat(say("what does web/cart.ts do?")).contains("class Cart").contains("24 lines of TypeScript");
    }

    @Test
    void anEmbeddedFileIsSearchedAsTheEditorHasIt() throws Exception {
        String address = shop().path("web/cart.ts").toUri().toString();
        String answer = text(session()
                .prompt(List.of(
                        ContentBlock.text("where is the order?"),
                        ContentBlock.resource(ResourceContents.text(address, "// new\n// post the /orders here\n")))));

        assertThat(answer).contains("`web/cart.ts:2`");
    }

    @Test
    void aTextFromElsewhereIsSearchedToo() throws Exception {
        String answer = text(session()
                .prompt(List.of(
                        ContentBlock.text("what about the voucher?"),
                        ContentBlock.resource(
                                ResourceContents.text("zed:///clipboard", "a\nb\nThe voucher expires.\n")))));

        assertThat(answer).contains("zed:///clipboard:3").contains("The voucher expires.");
    }

    @Test
    void anAttachmentWithoutAQuestionIsOutlined() throws Exception {
        String answer = text(session()
                .prompt(List.of(ContentBlock.resourceLink(
                        "cart.ts", shop().path("web/cart.ts").toUri().toString()))));

        assertThat(answer)
                .contains("24 lines of TypeScript")
                .contains("web/cart.ts:9")
                .contains("class Cart");
    }

    @Test
    void whatCannotBeUsedIsSaid() throws Exception {
        String answer = text(session()
                .prompt(List.of(
                        ContentBlock.text("refund policy"), ContentBlock.resourceLink("x", "https://example.org/x"))));

        assertThat(answer).startsWith("I cannot read `https://example.org/x`").contains("RefundPolicy.java");
    }

    @Test
    void titleAndCommandsAreReportedAndNoUsage() throws Exception {
        say("where is the refund policy of this shop, and who wrote it so that nobody finds it?");
        say("hello");

        assertThat(session().view().title()).hasValue("where is the refund policy of this shop, and who wrote it so…");
        assertThat(session().view().usage()).isEmpty();
        assertThat(session().view().commands())
                .extracting(command -> command.name())
                .containsExactly(
                        "files", "search", "read", "replace", "fix", "run", "summary", "tools", "call", "help");
    }
}
