package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DefinitionsTest {
    private static @Nullable String name(String file, String line) {
        return Definitions.nameIn(line, Language.of(new WorkspaceFile(Path.of(file), file, 1, 1)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "A.java|public final class OrderService {|OrderService",
                "A.java|    record Answer(int x) {}|Answer",
                "A.java|    private static List<Map<String, X>> find(String a) throws E {|find",
                "A.java|    OrderService(CardPayment payment) {|OrderService",
                "A.java|    private static final int MAX_WAITING = 1_000;|MAX_WAITING",
                "A.java|    default long waitMillis(int attempt) {|waitMillis",
                "A.kt|fun greet(name: String) = 1|greet",
                "a.py|    async def fetch_all(self):|fetch_all",
                "a.py|class Fetcher(Base):|Fetcher",
                "a.go|func (s *Server) Handle(w io.Writer) error {|Handle",
                "a.go|type Server struct {|Server",
                "a.rs|pub(crate) fn parse(s: &str) -> Ast {|parse",
                "a.rs|impl Display for Ast {|Display",
                "a.ts|export async function post(path: string) {|post",
                "a.ts|export const retries = 3;|retries",
                "a.ts|  async checkout(): Promise<void> {|checkout",
                "a.js|module.exports.run = function () {|run",
                "a.c|static int parse_header(const char *s)|parse_header",
                "a.c|#define MAX_PATH 4096|MAX_PATH",
                "a.sh|start_server() {|start_server",
                "a.sql|CREATE TABLE customer (|customer",
                "Makefile|install: build|install",
                "a.md|## Rolling back|Rolling back",
                "a.yml|  image: foo|image",
                "a.json|  \"name\": \"shop\",|name",
                "pom.xml|  <artifactId>shop-server</artifactId>|shop-server",
            })
    void definitionsOfManyLanguagesAreFound(String file, String line, String expected) {
        assertThat(name(file, line)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "A.java|        return hash(password).equals(stored);",
                "A.java|        service.cancel(order);",
                "A.java|        int total = sum(lines);",
                "A.java|    /** The class of all classes. */",
                "A.java|        if (state == OPEN) {",
                "A.java|        } else if (x(y)) {",
                "A.java|        throw new IllegalStateException(message);",
                "a.ts|    const local = 3;",
                "a.md|A class of its own.",
            })
    void usesAreNotDefinitions(String file, String line) {
        assertThat(name(file, line)).isNull();
    }

    @Test
    void overlongLinesDefineNothing() {
        assertThat(name("a.js", "function " + "x".repeat(400) + "() {}")).isNull();
    }
}
