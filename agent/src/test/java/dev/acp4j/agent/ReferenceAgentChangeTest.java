package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Entry;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryStatus;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolKind;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReferenceAgentChangeTest extends ShopSession {
    @Test
    void aReplacementIsShownAllowedAndMade() throws Exception {
        String said = say("/replace giveBack refund --in *.java");

        assertThat(said).startsWith("Replaced 2 places in ");
        assertThat(shop().text("server/src/main/java/shop/payment/CardPayment.java"))
                .contains("void refund(long");
        assertThat(editor().asked()).singleElement().satisfies(asked -> {
            assertThat(toolCall(asked).kind()).isEqualTo(ToolKind.EDIT);
            assertThat(toolCall(asked).content()).hasSize(2).allMatch(ToolCallContent.Diff.class::isInstance);
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
        editor().policy(PermissionQuestion::rejectOnce);

        String said = say("/replace quantity amount");

        assertThat(said).isEqualTo("Nothing was changed.\n");
        assertThat(shop().text("web/cart.ts")).isEqualTo(before);
        assertThat(calls(ToolKind.EDIT).getFirst().status()).isEqualTo(ToolCallStatus.FAILED);
        assertThat(say("hello")).startsWith("Hello!");
    }

    @Test
    void aQuestionThatIsCancelledEndsTheTurnAsCancelled() throws Exception {
        String before = shop().text("web/cart.ts");
        editor().policy(PermissionQuestion::cancelled);

        assertThat(session().prompt("/replace quantity amount").result().stopReason())
                .isEqualTo(StopReason.CANCELLED);

        assertThat(shop().text("web/cart.ts")).isEqualTo(before);
        assertThat(calls(ToolKind.EDIT).getFirst().status()).isEqualTo(ToolCallStatus.FAILED);
        assertThat(say("hello")).startsWith("Hello!");
    }

    @Test
    void whatIsAllowedForTheSessionIsNotAskedAgain() throws Exception {
        editor().policy(asked ->
                asked.choose(asked.option(PermissionOptionKind.ALLOW_ALWAYS).orElseThrow()));

        say("/replace quantity amount");
        say("/replace amount number");
        assertThat(editor().asked()).hasSize(1);

        say("/run true");
        say("/run true");
        assertThat(editor().asked()).hasSize(2);
        say("/run true && true");
        assertThat(editor().asked()).hasSize(3);
        assertThat(editor().asked().getLast().option(PermissionOptionKind.ALLOW_ALWAYS))
                .get()
                .extracting(PermissionOption::name)
                .isEqualTo("Allow this command for this session");
        assertThat(shop().text("web/cart.ts")).contains("number = 1");
    }

    @Test
    void aFileThatChangesWhileTheQuestionIsOpenIsLeftAlone() throws Exception {
        editor().policy(asked -> {
            shop().file("web/http.ts", "// written meanwhile\n");
            return asked.allowOnce();
        });

        String said = say("/replace window page --in web");

        assertThat(said).contains("web/http.ts was changed by another program meanwhile");
        assertThat(shop().text("web/http.ts")).isEqualTo("// written meanwhile\n");
    }

    @Test
    void replacementsThatMakeNoSenseAreExplained() throws Exception {
        assertThat(say("/replace one")).contains("an old text and a new one").contains("/replace \"old\" \"new\"");
        assertThat(say("/replace --regex '(x' y")).contains("not a regular expression");
        assertThat(say("/replace \"no such text\" y")).startsWith("Nothing to replace");
        assertThat(say("/replace quantity quantity")).contains("the old text and the new one are the same");
        assertThat(say("/fix quantity -> quantity")).contains("the old text and the new one are the same");
        assertThat(say("/replace --regex ^ '> '")).contains("matches where there is no text to replace");
        assertThat(editor().asked()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/fix quantity ->", "/replace quantity ->", "/fix -> amount", "/fix quantity", "/replace a b c"})
    void aTextThatWasNotTypedDeletesNothing(String prompt) throws Exception {
        String before = shop().text("web/cart.ts");

        assertThat(say(prompt)).startsWith("That does not work: it takes an old text and a new one");

        assertThat(shop().text("web/cart.ts")).isEqualTo(before);
        assertThat(editor().asked()).isEmpty();
    }

    @Test
    void whatIsToBeDeletedIsReplacedByAnEmptyText() throws Exception {
        shop().file("notes.txt", "a -> b, old text\n");

        say("/fix old text -> \"\"");
        say("/replace \"->\" \"=>\" --in notes.txt");

        assertThat(shop().text("notes.txt")).isEqualTo("a => b, \n");
    }

    @Test
    void aFixFollowsAPlan() throws Exception {
        Turn turn = session().prompt("/fix giveBack -> pay_out --check \"grep -rq pay_out server\"");
        List<PlanEntry> first = List.of();
        for (SessionEvent event : turn) {
            if (first.isEmpty() && event instanceof SessionEvent.PlanChanged changed) {
                first = changed.plan().entries();
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
                toolCall(asked).title().contains("CardPayment") ? asked.rejectOnce() : asked.allowOnce());

        String said = say("/fix giveBack -> refund");

        assertThat(said).contains("Left as they were").contains("CardPayment.java:15");
        assertThat(session().view().plan())
                .filteredOn(entry -> entry.content().endsWith("CardPayment.java (not done)"))
                .singleElement()
                .satisfies(entry -> assertThat(entry.status()).isEqualTo(PlanEntryStatus.PENDING));
    }

    @Test
    void aRenamedClassGetsAFileOfItsName() throws Exception {
        String said = say("rename RefundPolicy to ReturnRule everywhere");

        assertThat(said).contains("Changed ").contains("RefundPolicy.java` → `").contains("ReturnRule.java`");
        assertThat(shop().text("server/src/main/java/shop/payment/ReturnRule.java"))
                .contains("class ReturnRule");
        assertThat(shop().text("server/src/test/java/shop/payment/ReturnRuleTest.java"))
                .contains("class ReturnRuleTest");
        assertThat(shop().path("server/src/main/java/shop/payment/RefundPolicy.java"))
                .doesNotExist();
        assertThat(calls(ToolKind.MOVE))
                .singleElement()
                .satisfies(call -> assertThat(call.status()).isEqualTo(ToolCallStatus.COMPLETED));
        assertThat(session().view().plan()).allMatch(e -> e.status().equals(PlanEntryStatus.COMPLETED));
    }

    @Test
    void filesThatMayNotBeRenamedAreNamedWithTheCommand() throws Exception {
        shop().git();
        editor().policy(asked -> toolCall(asked).kind().equals(ToolKind.MOVE) ? asked.rejectOnce() : asked.allowOnce());

        String said = say("/fix RefundPolicy -> ReturnRule --in server/src/main");

        assertThat(said)
                .contains("`/run git mv -- server/src/main/java/shop/payment/RefundPolicy.java "
                        + "server/src/main/java/shop/payment/ReturnRule.java`");
        assertThat(shop().path("server/src/main/java/shop/payment/RefundPolicy.java"))
                .exists();
        assertThat(shop().path("server/src/test/java/shop/payment/RefundPolicyTest.java"))
                .exists();
    }

    @Test
    void anExistingFileIsNotReplacedByARenamedOne() throws Exception {
        shop().file("server/src/main/java/shop/payment/ReturnRule.java", "class Other {}\n");

        say("/fix RefundPolicy -> ReturnRule --in server/src/main");

        assertThat(shop().text("server/src/main/java/shop/payment/ReturnRule.java"))
                .isEqualTo("class Other {}\n");
    }

    @Test
    void aReplacementInPlainWordsIsMade() throws Exception {
        shop().file("notes.txt", "EVERYWHERE and EVERYWHERE\n");

        assertThat(say("replace EVERYWHERE with ALL_PLACES")).startsWith("Replaced 2 places in 1 file");

        assertThat(shop().text("notes.txt")).isEqualTo("ALL_PLACES and ALL_PLACES\n");
        assertThat(editor().asked()).hasSize(1);
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

        assertThat(said).contains("ended with exit code 3").doesNotContain("one\ntwo");
        assertThat(calls(ToolKind.EXECUTE)).singleElement().satisfies(call -> {
            assertThat(call.status()).isEqualTo(ToolCallStatus.FAILED);
            assertThat(String.valueOf(call.rawInput())).contains("echo one").contains(folder.toString());
            assertThat(call.content()).first().asString().contains("one\ntwo");
            assertThat(String.valueOf(call.rawOutput())).contains("\"exitCode\":3");
        });
        assertThat(say("/run")).startsWith("That does not work: which command?\n");
        assertThat(say("/run echo fine")).contains("exit code 0").doesNotContain("nothing");
        assertThat(say("run `true`")).contains("exit code 0").contains("printed nothing");
    }

    @Test
    void aCommandThatIsNotAllowedIsNotRun() throws Exception {
        editor().policy(PermissionQuestion::rejectOnce);

        assertThat(say("/run touch made")).isEqualTo("`touch made` was not run.\n");

        assertThat(folder.resolve("made")).doesNotExist();
    }

    private static Entry.ToolCall toolCall(PermissionQuestion asked) {
        return Objects.requireNonNull(asked.toolCall());
    }
}
