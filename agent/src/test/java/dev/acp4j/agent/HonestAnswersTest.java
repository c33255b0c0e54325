package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Session;
import dev.acp4j.schema.ToolKind;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What an answer says about what there is not, what was not searched, and what a class is for. */
class HonestAnswersTest extends ShopSession {
    private static final String SESSION = """
            package shop.session;

            import java.time.Duration;

            /**
             * A visit of a customer. It ends after {@code 30} minutes, see {@link Duration} and
             * {@link #end() the end}; a list:
             *
             * <ul>
             *   <li>a <b>cart</b> &lt;= 1
             * </ul>
             *
             * <p>Second paragraph.
             *
             * @author nobody
             */
            @Deprecated
            public final class Session {
                private final String id = "x";

                /** Ends it. Nothing is kept. */
                public void end() {}

                private void forget() {}
            }
            """;

    private void addSessions() {
        shop().file("server/src/main/java/shop/session/Session.java", SESSION)
                .file(
                        "server/src/main/java/shop/session/SessionStore.java",
                        "package shop.session;\n\n/** Keeps sessions. */\nclass SessionStore {\n    Session session;\n}\n");
    }

    @Test
    void whatAClassDoesIsSaidByItsDocumentation() throws Exception {
        addSessions();

        String said = say("what does class Session do?");

        assertThat(said)
                .startsWith("**`server/src/main/java/shop/session/Session.java:18`** `public final class Session`")
                .contains("> A visit of a customer. It ends after `30` minutes, see `Duration` and")
                .contains("> `the end`; a list:")
                .contains("> - a **cart** <= 1")
                .contains(">\n> Second paragraph.")
                .contains("`public void end()` Ends it.")
                .doesNotContain("{@", "<p>", "<li>", "nobody", "forget", "private final", "SessionStore");
        assertThat(say("explain SessionStore")).contains("> Keeps sessions.");
        assertThat(say("what does Session.end do?"))
                .contains("Session.java:22")
                .contains("> Ends it. Nothing is kept.");
        assertThat(say("what does Session.begin do?")).contains("defines no `begin`");
    }

    @Test
    void aFileIsOutlinedReadablyAndWithPublicMembersOnly() throws Exception {
        addSessions();

        assertThat(say("explain server/src/main/java/shop/session/Session.java"))
                .contains("25 lines of Java", "> Second paragraph.", "`public void end()` Ends it.")
                .doesNotContain("{@", "<p>", "<li>", "forget");
    }

    @Test
    void aClassThatDoesNotExistIsSaidNotToExist() throws Exception {
        assertThat(say("what does class OrderServise do?"))
                .isEqualTo(
                        "There is no class `OrderServise` in this workspace. Similar names: `OrderService`, `Order`, "
                                + "`OrderLine`.\n");
        assertThat(say("explain MailTransport")).startsWith("There is no class or other type `MailTransport`");
        assertThat(say("what does class Duration do?"))
                .startsWith("There is no class `Duration` in this workspace. The name is used:")
                .contains("RefundPolicy.java:9");
        assertThat(say("retries of MailTransport")).contains("No file has *MailTransport*");
    }

    @Test
    void anEmptyFolderIsSaidToBeEmpty() throws Exception {
        Session empty = editor().open(Files.createDirectory(elsewhere.resolve("empty")));
        Session generated = editor().open(Files.createDirectories(elsewhere.resolve("made")));
        Files.createDirectories(elsewhere.resolve("made/node_modules"));
        Files.writeString(elsewhere.resolve("made/node_modules/a.js"), "retry()");

        for (String prompt : List.of("where is the retry logic?", "/files", "/search retry", "/summary")) {
            assertThat(text(empty.prompt(prompt))).isEqualTo("This folder is empty.\n");
            assertThat(text(generated.prompt(prompt))).startsWith("This folder has no files, except");
        }
    }

    @Test
    void aTooLargeFileIsNamedWithItsSizeAndReadInParts() throws Exception {
        StringBuilder lines = new StringBuilder();
        for (int i = 1; i <= 1_000; i++) {
            lines.append("line ").append(i).append(" of the log\n");
        }
        shop().file("big.log", lines.toString());
        try (RandomAccessFile log = new RandomAccessFile(shop().path("big.log").toFile(), "rw")) {
            log.setLength(210L << 20); // zeros, which take no space
        }

        assertThat(say("/read big.log"))
                .isEqualTo("`big.log` is 210 MB; I read text files up to 1 MB. `/read big.log:1-400` shows its first "
                        + "lines.\n");
        assertThat(say("/read big.log:5-6"))
                .contains("5  line 5 of the log\n6  line 6 of the log\n")
                .doesNotContain("line 7");
        assertThat(say("/read big.log:2000-2001")).contains("is not a text file, or has fewer lines");
        assertThat(say("where is kubernetes"))
                .startsWith("Nothing found for *kubernetes* in 23 files.")
                .endsWith("Not searched: `big.log` (210 MB), because I read text files up to 1 MB.\n");
        assertThat(say("/search --exact \"of the log\"")).contains("`big.log` is 210 MB");
        assertThat(say("what does big.log say about the log?"))
                .startsWith("There was nothing to search.")
                .contains("Not searched: `big.log`");
    }

    @Test
    void onlyWhatWasSearchedIsCounted() throws Exception {
        shop().file("logo.png", "x").file("core/a.txt", "nothing\n").file("core/b.txt", "nothing\n");

        assertThat(say("/search kubernetes --in core/**"))
                .startsWith("Nothing found for *kubernetes* in 2 files of `core/**`.");
        assertThat(say("/search kubernetes --in web/cart.ts"))
                .startsWith("Nothing found for *kubernetes* in `web/cart.ts`.");
        assertThat(say("/search kubernetes --in elsewhere/**")).startsWith("No file matches `elsewhere/**`.");
        assertThat(say("kubernetes")).contains("Not searched: 1 file that is not text.");
        assertThat(say("/read logo.png")).isNotEmpty();
    }

    @Test
    void productionCodeStandsBeforeTestsFixturesAndRecordings() throws Exception {
        String question = "where are vouchers redeemed?";
        shop().file("a/Voucher.java", "class Voucher {\n    /** Vouchers are redeemed here. */\n    void run() {}\n}\n")
                .file("a/src/test/java/VoucherTest.java", "class VoucherTest {\n  void redeemVoucher() {}\n}\n")
                .file("a/src/test/resources/VoucherRedeeming.java", "class VoucherRedeeming {\n  void redeem() {}\n}\n")
                .file(
                        "session.jsonl",
                        "{\"text\":\"" + question + "\",\"answer\":\"redeem vouchers in redeem\"}\n".repeat(5))
                .file(
                        "trace.html",
                        "<!DOCTYPE html>\n<meta name=\"generator\" content=\"acp trace show\">\n<p>redeem vouchers, "
                                + question + "</p>\n")
                .file("manual.md", "Ask `" + question + "`\n");

        String said = say(question);

        assertThat(said).containsPattern("^[^`]*`a/Voucher.java");
        assertThat(say("which tests cover redeeming a voucher?")).containsPattern("^[^`]*`a/src/test/java/VoucherTest");
        assertThat(calls(ToolKind.SEARCH)).isNotEmpty();
        assertThat(said.indexOf("a/Voucher.java"))
                .isLessThan(said.indexOf("VoucherTest.java"))
                .isLessThan(said.indexOf("session.jsonl"));
    }

    @Test
    void theCommandsOfTheManualComeBeforeTheCommandToRun() throws Exception {
        shop().file("pom.xml", "<project/>")
                .file("CONTRIBUTING.md", "# Building\n\n    mvn verify    # everything\n\nOr `mvn -pl core test`.\n");

        assertThat(say("how do I run the tests?")).isEqualTo("""
                        The manuals of this project say:

                        - `CONTRIBUTING.md:3` `mvn verify`
                        - `CONTRIBUTING.md:5` `mvn -pl core test`

                        This is built with Maven (`pom.xml`); `/run mvn -q test` runs the tests.
                        """);
    }

    @Test
    void testsOfAFolderWithoutABuildFileAreNotSearchedFor() throws Exception {
        assertThat(say("run the tests")).startsWith("This folder has no build file that I know");
        assertThat(say("how do I run the tests?")).startsWith("This folder has no build file that I know");
        assertThat(editor().asked()).isEmpty();
    }

    @Test
    void whatTheAgentCannotDoIsSaidInASentence() throws Exception {
        assertThat(say("delete the file README.md")).isEqualTo("I do not delete files: `/run rm README.md` does.\n");
        assertThat(say("git status")).isEqualTo("I have no command for Git: `/run git status` runs it.\n");
        assertThat(say("add a unit test for Cart")).startsWith("I have no model, so I cannot write code.");
        assertThat(shop().path("README.md")).exists();
        assertThat(session().view().toolCalls()).isEmpty();
    }
}
