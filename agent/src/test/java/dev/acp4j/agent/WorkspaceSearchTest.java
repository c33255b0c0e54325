package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkspaceSearchTest {
    private static final WorkspaceIndex.Progress SILENT = (done, total) -> {};

    @TempDir
    Path folder;

    private @Nullable TestWorkspace shop;
    private @Nullable WorkspaceIndex index;

    @BeforeEach
    void copyShop() throws Exception {
        shop = TestWorkspace.shop(folder);
        index = new WorkspaceIndex(shop.files());
    }

    @AfterEach
    void closeIndex() {
        index().close();
    }

    private TestWorkspace shop() {
        return Objects.requireNonNull(shop);
    }

    private WorkspaceIndex index() {
        return Objects.requireNonNull(index);
    }

    private Answer ask(String question) throws Exception {
        return ask(question, Scope.everywhere());
    }

    private Answer ask(String question, Scope scope) throws Exception {
        return new WorkspaceSearch(index(), TextFile::textOf).answer(Question.of(question), scope, 8, SILENT);
    }

    private static List<String> names(Answer answer) {
        return answer.hits().stream().map(hit -> hit.file().fileName()).toList();
    }

    @ParameterizedTest
    @CsvSource({
        "which files deal with cancelling an order?, OrderService.java",
        "where is the refund policy?, RefundPolicy.java",
        "How are failed requests retried?, RetryPolicy.java",
        "where is the timeout of the http client defined, HttpClient.java",
        "how are passwords hashed?, PasswordHasher.java",
        "who checks the password at login?, LoginController.java",
        "when does the session cookie expire?, SessionCookie.java",
        "what happens with the basket at checkout?, cart.ts",
        "how do I deploy a previous image, deployment.md",
        "which tests cover refunds?, RefundPolicyTest.java",
        "price xml reader, PriceXMLReader.java",
        "PriceXMLReader, PriceXMLReader.java",
        "how many requests may wait in the queue?, RequestQueue.java",
        "which table stores customers?, schema.sql",
        "start the server with reload, dev.sh",
        "order state, OrderState.java",
        "who prints \"is on its way\", OrderService.java",
    })
    void aQuestionFindsItsFileFirst(String question, String expected) throws Exception {
        assertThat(names(ask(question))).first().isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "credit card, CardPayment.java",
        "which environment variables are there?, deployment.md",
        "abort an order, OrderService.java",
        "cart in TypeScript, cart.ts",
        "30 days, RefundPolicy.java",
        "post json to the server, http.ts",
        "how much money does a customer get back, RefundPolicy.java",
    })
    void aVagueQuestionFindsItsFileAmongTheFirstThree(String question, String expected) throws Exception {
        assertThat(names(ask(question)).stream().limit(3)).contains(expected);
    }

    @Test
    void thePlaceIsGivenWithItsLineAndWhatStandsAroundIt() throws Exception {
        Answer answer = ask("where do we cancel an order?");

        Answer.Excerpt excerpt = answer.hits().getFirst().excerpts().getFirst();
        assertThat(excerpt.text()).isEqualTo("public void cancel(Order order) {");
        assertThat(excerpt.line()).isEqualTo(22);
        assertThat(excerpt.first()).isEqualTo(20);
        assertThat(excerpt.lines()).hasSize(5);
    }

    @Test
    void aTestIsNoBetterThanWhatItTestsUnlessTestsAreAskedFor() throws Exception {
        List<String> names = names(ask("cancel"));

        assertThat(names).first().isEqualTo("OrderService.java");
        assertThat(names).contains("OrderServiceTest.java");
    }

    @Test
    void changesAreSeenByTheNextQuestion() throws Exception {
        assertThat(ask("where are vouchers redeemed?").hits()).isEmpty();

        shop().file("server/src/main/java/shop/cart/Voucher.java", "class Voucher {\n  void redeem() {}\n}\n");
        assertThat(names(ask("where are vouchers redeemed?"))).containsExactly("Voucher.java");

        shop().file("server/src/main/java/shop/cart/Voucher.java", "class Coupon {\n  void redeemSoon() {}\n}\n");
        assertThat(ask("where are vouchers redeemed?")
                        .hits()
                        .getFirst()
                        .excerpts()
                        .getFirst()
                        .text())
                .isEqualTo("void redeemSoon() {}");

        Files.delete(folder.resolve("server/src/main/java/shop/cart/Voucher.java"));
        assertThat(ask("where are vouchers redeemed?").hits()).isEmpty();
    }

    @Test
    void onlyChangedFilesAreReadAgain() throws Exception {
        ask("order");
        List<Integer> totals = new ArrayList<>();
        shop().file("new.txt", "new");

        new WorkspaceSearch(index(), TextFile::textOf)
                .answer(Question.of("order"), Scope.everywhere(), 8, (done, total) -> totals.add(total));

        assertThat(totals).containsExactly(1);
    }

    @Test
    void textThatOnlyTheEditorHasGivesTheLines() throws Exception {
        WorkspaceSearch search = new WorkspaceSearch(index(), file -> "// not saved\n" + TextFile.textOf(file));

        Answer answer = search.answer(Question.of("where do we cancel an order?"), Scope.everywhere(), 8, SILENT);

        assertThat(answer.hits().getFirst().excerpts().getFirst().line()).isEqualTo(23);
    }

    @Test
    void nothingFoundIsSaidAndNearWordsAreNamed() throws Exception {
        Answer nothing = ask("kubernetes");
        Answer misspelled = ask("pasword hashing");

        assertThat(nothing.hits()).isEmpty();
        assertThat(nothing.missing()).containsOnlyKeys("kubernetes");
        assertThat(misspelled.missing())
                .hasEntrySatisfying(
                        "pasword", near -> assertThat(near.getFirst()).startsWith("password"));
        assertThat(names(misspelled)).first().isEqualTo("PasswordHasher.java");
    }

    @Test
    void aPastedStackTraceFindsItsFiles() throws Exception {
        String trace = """
                Exception in thread "main" java.lang.IllegalStateException: order 7 is on its way
                    at shop.order.OrderService.cancel(OrderService.java:24)
                    at shop.web.OrderController.delete(OrderController.java:51)
                    at java.base/jdk.internal.reflect.DirectMethodHandleAccessor.invoke(DirectMethodHandleAccessor.java:104)
                    at java.base/java.lang.reflect.Method.invoke(Method.java:565)
                    at org.springframework.web.method.support.InvocableHandlerMethod.doInvoke(InvocableHandlerMethod.java:258)
                """.repeat(50);

        assertThat(names(ask(trace))).first().isEqualTo("OrderService.java");
    }

    @Test
    void aScopeLimitsTheAnswer() throws Exception {
        Answer answer = ask("order", Scope.of(List.of("*.sql", "web/")));

        assertThat(names(answer)).containsExactlyInAnyOrder("schema.sql", "cart.ts");
        assertThat(names(ask("total in TypeScript files"))).containsExactly("cart.ts");
    }

    @Test
    void whatDoesNotFitIsCounted() throws Exception {
        WorkspaceIndex small = new WorkspaceIndex(shop().files(), 3_000);

        Coverage coverage = small.refresh(SILENT);

        assertThat(coverage.left()).isPositive();
        assertThat(coverage.searched()).isPositive();
        assertThat(coverage.isComplete()).isFalse();
    }

    @Test
    void indexingStopsWhenInterruptedAndGoesOnLater() throws Exception {
        WorkspaceIndex.Progress interrupting = (done, total) -> {
            if (done == 5) {
                Thread.currentThread().interrupt();
            }
        };

        assertThatThrownBy(() -> index().refresh(interrupting)).isInstanceOf(InterruptedException.class);

        assertThat(names(ask("refund policy"))).first().isEqualTo("RefundPolicy.java");
    }

    @Test
    void aClosedIndexIsBuiltAgain() throws Exception {
        ask("order");

        index().close();

        assertThat(names(ask("refund policy"))).first().isEqualTo("RefundPolicy.java");
    }
}
