package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Session;
import dev.acp4j.json.RawJson;
import dev.acp4j.lsp.LanguageServer;
import dev.acp4j.lsp.LanguageTools;
import dev.acp4j.mcp.McpServers;
import dev.acp4j.process.Launch;
import dev.acp4j.testkit.TestClient;
import dev.acp4j.testkit.Transports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Language servers of other makers behind the proxy with their tools. */
@Timeout(300)
class ForeignLanguageServersTest {
    private static final Duration LONG = Duration.ofMinutes(2);

    /**
     * A server may send its diagnostics in parts, and be slow on a busy machine: then the next question gets the rest.
     */
    private static final int MOST_QUESTIONS = 20;

    @TempDir
    Path folder;

    private interface Talk {
        void with(Session session) throws Exception;
    }

    private static void answer(AgentTurn turn) throws InterruptedException {
        List<String> words = List.of(turn.text().split(" ", 2));
        turn.message(McpServers.of(turn)
                .call(turn, "lsp." + words.get(0), RawJson.parse(words.get(1)))
                .text());
    }

    private void talk(LanguageServer server, Talk talk) throws Exception {
        Agent agent = McpServers.builder()
                .acp()
                .callTime(tool -> LONG)
                .addTo(Agent.builder("agent", "1").onPrompt(ForeignLanguageServersTest::answer))
                .build();
        try (Transports ends = Transports.joined();
                ConnectedClient served = agent.connect(ends.agent());
                LanguageTools tools =
                        LanguageTools.builder().server(server).answerTime(LONG).build();
                ConnectedAgent connected =
                        TestClient.create().connect(tools.proxy().before(ends.client()))) {
            talk.with(connected.newSession(folder));
            assertThat(served.rpc().isOpen()).isTrue();
        }
    }

    private static String ask(Session session, String question) throws Exception {
        return session.prompt(question).text();
    }

    /** Asks until an answer has a text, and returns that one. */
    private static String asked(Session session, String question, String expected) throws Exception {
        String answer = ask(session, question);
        for (int i = 1; i < MOST_QUESTIONS && !answer.contains(expected); i++) {
            answer = ask(session, question);
        }
        assertThat(answer).contains(expected);
        return answer;
    }

    private void file(String name, String text) throws Exception {
        Files.writeString(folder.resolve(name), text);
    }

    @Test
    @Tag("RMP-26")
    void aServerForTypeScript() throws Exception {
        Path server = NodePrograms.packageFolder("typescript-language-server", "6.0.2");
        Path typescript = NodePrograms.packageFolder("typescript", "5.9.3");
        file("tsconfig.json", "{\"compilerOptions\":{\"strict\":true},\"include\":[\"*.ts\"]}");
        file("greet.ts", "export function greet(name: string): string {\n  return \"Hello, \" + name;\n}\n");
        file("main.ts", "import { greet } from \"./greet\";\nconst n: number = greet(\"Ada\");\nconsole.log(n);\n");
        LanguageServer configured = LanguageServer.of(
                        "typescript",
                        Launch.of("node", server.resolve("lib/cli.mjs").toString(), "--stdio"))
                .initializationOptions(RawJson.parse("{\"tsserver\":{\"path\":"
                        + RawJson.string(typescript.resolve("lib/tsserver.js").toString()) + "}}"));

        talk(configured, session -> {
            asked(
                    session,
                    "diagnostics {\"file\":\"main.ts\"}",
                    "main.ts:2:7: error: Type 'string' is not assignable to type 'number'. [typescript 2322]");
            assertThat(ask(session, "definition {\"file\":\"main.ts\",\"line\":2,\"symbol\":\"greet\"}"))
                    .contains("greet.ts:1:17: export function greet(name: string): string {");
            assertThat(ask(session, "references {\"file\":\"greet.ts\",\"line\":1,\"column\":17}"))
                    .contains("main.ts:2:19: const n: number = greet(\"Ada\");");
            assertThat(ask(session, "symbols {\"file\":\"greet.ts\"}")).contains("function greet 1:17");
            assertThat(ask(session, "symbols {\"query\":\"greet\",\"file\":\"main.ts\"}"))
                    .contains("greet.ts");

            file("greet.ts", "export function greet(name: string): number {\n  return name.length;\n}\n");
            asked(session, "diagnostics {\"file\":\"main.ts\"}", "No diagnostics in main.ts.");
        });
    }

    @Test
    @Tag("RMP-26")
    void aServerForPython() throws Exception {
        Path pyright = NodePrograms.packageFolder("pyright", "1.1.414");
        file("greet.py", "def greet(name: str) -> str:\n    return \"Hello, \" + name\n");
        file("main.py", "from greet import greet\n\nn: int = greet(\"Ada\")\n");
        LanguageServer configured = LanguageServer.of(
                "python",
                Launch.of("node", pyright.resolve("langserver.index.js").toString(), "--stdio"));

        talk(configured, session -> {
            asked(session, "diagnostics {\"file\":\"main.py\"}", "main.py:3:10: error: ");
            assertThat(ask(session, "definition {\"file\":\"main.py\",\"line\":3,\"symbol\":\"greet\"}"))
                    .contains("greet.py:1:5: def greet(name: str) -> str:");
            assertThat(ask(session, "symbols {\"file\":\"greet.py\"}")).contains("function greet 1:5");

            file("main.py", "from greet import greet\n\nn: str = greet(\"Ada\")\n");
            asked(session, "diagnostics {\"file\":\"main.py\"}", "No diagnostics in main.py.");
        });
    }
}
