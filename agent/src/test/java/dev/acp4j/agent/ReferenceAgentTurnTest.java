package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.PermissionRequest;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.ToolCallView;
import dev.acp4j.Turn;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryStatus;
import dev.acp4j.schema.ResourceContents;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.testkit.LeakRule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@ExtendWith(LeakRule.class)
class ReferenceAgentTurnTest {
    @TempDir
    Path folder;

    @TempDir
    Path elsewhere;

    private @Nullable TestWorkspace shop;
    private @Nullable Editor editor;
    private @Nullable Session session;

    @BeforeEach
    void openSession() throws Exception {
        shop = TestWorkspace.shop(folder);
        editor = Editor.of(ReferenceAgent.create());
        session = editor.open(folder);
    }

    @AfterEach
    void closeEditor() {
        editor().close();
    }

    private TestWorkspace shop() {
        return Objects.requireNonNull(shop);
    }

    private Editor editor() {
        return Objects.requireNonNull(editor);
    }

    private Session session() {
        return Objects.requireNonNull(session);
    }

    private String say(String prompt) throws Exception {
        return text(session().prompt(prompt));
    }

    private static String text(Turn turn) throws Exception {
        String text = turn.text();
        assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);
        return text;
    }

    private List<ToolCallView> calls(ToolKind kind) {
        return Editor.calls(session(), kind);
    }

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
    void aReplacementIsShownAllowedAndMade() throws Exception {
        String said = say("/replace giveBack refund --in *.java");

        assertThat(said).startsWith("Replaced in 2 places");
        assertThat(shop().text("server/src/main/java/shop/payment/CardPayment.java"))
                .contains("void refund(long");
        assertThat(editor().asked()).singleElement().satisfies(asked -> {
            assertThat(asked.toolCall().kind()).isEqualTo(ToolKind.EDIT);
            assertThat(asked.toolCall().content()).hasSize(2).allMatch(ToolCallContent.Diff.class::isInstance);
            assertThat(asked.options())
                    .extracting(PermissionOption::kind)
                    .containsExactly(
                            PermissionOptionKind.ALLOW_ONCE,
                            PermissionOptionKind.ALLOW_ALWAYS,
                            PermissionOptionKind.REJECT_ONCE);
        });
        assertThat(calls(ToolKind.EDIT)).singleElement().satisfies(call -> {
            assertThat(call.status()).isEqualTo(ToolCallStatus.COMPLETED);
            assertThat(call.locations()).hasSize(2);
        });
    }

    @Test
    void aReplacementThatIsRejectedIsNotMade() throws Exception {
        String before = shop().text("web/cart.ts");
        editor().policy(PermissionRequest::rejectOnce);

        String said = say("/replace quantity amount");

        assertThat(said).isEqualTo("Nothing was changed.\n");
        assertThat(shop().text("web/cart.ts")).isEqualTo(before);
        assertThat(calls(ToolKind.EDIT).getFirst().status()).isEqualTo(ToolCallStatus.FAILED);
        assertThat(say("hello")).startsWith("Hello!");
    }

    @Test
    void anUnansweredQuestionIsNoPermission() throws Exception {
        String before = shop().text("web/cart.ts");
        editor().policy(PermissionRequest::cancelled);

        assertThat(say("/replace quantity amount")).isEqualTo("Nothing was changed.\n");

        assertThat(shop().text("web/cart.ts")).isEqualTo(before);
    }

    @Test
    void whatIsAllowedForTheSessionIsNotAskedAgain() throws Exception {
        editor().policy(asked ->
                asked.choose(asked.option(PermissionOptionKind.ALLOW_ALWAYS).orElseThrow()));

        say("/replace quantity amount");
        say("/replace amount number");
        assertThat(editor().asked()).hasSize(1);

        say("/run true");
        assertThat(editor().asked()).hasSize(2);
        assertThat(shop().text("web/cart.ts")).contains("number = 1");
    }

    @Test
    void aFileThatChangesWhileTheQuestionIsOpenIsLeftAlone() throws Exception {
        editor().policy(asked -> {
            shop().file("web/http.ts", "// written meanwhile\n");
            return asked.allowOnce();
        });

        String said = say("/replace window page --in web");

        assertThat(said).contains("web/http.ts was changed by somebody else meanwhile");
        assertThat(shop().text("web/http.ts")).isEqualTo("// written meanwhile\n");
    }

    @Test
    void replacementsThatMakeNoSenseAreExplained() throws Exception {
        assertThat(say("/replace one")).contains("an old text and a new one").contains("/replace \"old\" \"new\"");
        assertThat(say("/replace --regex '(x' y")).contains("not a regular expression");
        assertThat(say("/replace \"no such text\" y")).startsWith("Nothing to replace");
        assertThat(editor().asked()).isEmpty();
    }

    @Test
    void aFixFollowsAPlan() throws Exception {
        Turn turn = session().prompt("/fix giveBack -> pay_out --check \"grep -rq pay_out server\"");
        List<PlanEntry> first = List.of();
        for (SessionEvent event : turn) {
            if (first.isEmpty() && event instanceof SessionEvent.PlanChanged plan) {
                first = plan.entries();
            }
        }
        String said = turn.text();

        assertThat(said).contains("Changed 2 places in 2 files").contains("ended with exit code 0");
        assertThat(shop().text("server/src/main/java/shop/payment/CardPayment.java"))
                .contains("void pay_out(long");
        assertThat(first).singleElement().satisfies(entry -> {
            assertThat(entry.content()).isEqualTo("Find giveBack");
            assertThat(entry.status()).isEqualTo(PlanEntryStatus.IN_PROGRESS);
        });
        assertThat(session().view().plan()).hasSize(5).allMatch(e -> e.status().equals(PlanEntryStatus.COMPLETED));
        assertThat(calls(ToolKind.EDIT)).hasSize(2);
    }

    @Test
    void aFixLeavesWhatWasRejectedAndSaysSo() throws Exception {
        editor().policy(asked ->
                asked.toolCall().title().contains("CardPayment") ? asked.rejectOnce() : asked.allowOnce());

        String said = say("/fix giveBack -> refund");

        assertThat(said).contains("Left as they were").contains("CardPayment.java:15");
        assertThat(session().view().plan())
                .extracting(PlanEntry::content)
                .anyMatch(content -> content.endsWith("CardPayment.java (not done)"));
    }

    @Test
    void aFixTidiesWhiteSpace() throws Exception {
        shop().file("web/messy.ts", "let a = 1;  \nlet b = 2;");

        String said = say("/fix whitespace --in web");

        assertThat(said).contains("Changed 2 places in 1 file");
        assertThat(shop().text("web/messy.ts")).isEqualTo("let a = 1;\nlet b = 2;\n");
        assertThat(say("/fix whitespace --in web")).startsWith("Nothing to fix");
    }

    @Test
    void aCommandIsRunWithItsOutput() throws Exception {
        String said = say("/run echo one; echo two >&2; exit 3");

        assertThat(said).contains("ended with exit code 3").contains("one\ntwo");
        assertThat(calls(ToolKind.EXECUTE)).singleElement().satisfies(call -> {
            assertThat(call.status()).isEqualTo(ToolCallStatus.FAILED);
            assertThat(String.valueOf(call.rawInput())).contains("echo one").contains(folder.toString());
            assertThat(String.valueOf(call.rawOutput())).contains("\"exitCode\":3");
        });
        assertThat(say("/run")).contains("which command?");
        assertThat(say("run `true`")).contains("exit code 0");
    }

    @Test
    void aCommandThatIsNotAllowedIsNotRun() throws Exception {
        editor().policy(PermissionRequest::rejectOnce);

        assertThat(say("/run touch made")).isEqualTo("`touch made` was not run.\n");

        assertThat(folder.resolve("made")).doesNotExist();
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
                .startsWith("This is built with Cargo (`Cargo.toml`); `/run cargo test`");
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
    void titleUsageAndCommandsAreTold() throws Exception {
        say("where is the refund policy of this shop, and who wrote it so that nobody finds it?");
        say("hello");

        assertThat(session().view().title()).hasValue("where is the refund policy of this shop, and who wrote it so…");
        assertThat(session().view().usage()).hasValueSatisfying(usage -> {
            assertThat(usage.used()).isPositive();
            assertThat(usage.size()).isEqualTo(1 << 20);
        });
        assertThat(session().view().commands())
                .extracting(command -> command.name())
                .containsExactly("files", "search", "read", "replace", "fix", "run", "summary", "help");
    }
}
