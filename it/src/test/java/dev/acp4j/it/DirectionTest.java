package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Who may say what is a matter of types: an agent cannot be made to prompt, nor a client to ask for permission. Each
 * statement is compiled with an agent's turn and session and a client's session and connection at hand.
 */
class DirectionTest {
    private static final String PROGRAM = """
            import dev.acp4j.*;
            import dev.acp4j.json.RawJson;
            import dev.acp4j.schema.*;
            import java.nio.file.Path;
            import java.util.List;
            class Program {
                static void main(
                        AgentTurn turn, AgentSession served, ConnectedClient client,
                        Session session, ConnectedAgent agent) throws Exception {
                    STATEMENT
                }
            }
            """;

    @TempDir
    Path classes;

    @ParameterizedTest
    @Tag("API-06")
    @ValueSource(
            strings = {
                "turn.message(\"hello\");",
                "turn.requestPermission(ToolCallUpdate.builder(ToolCallId.of(\"c\")).build(), List.of());",
                "served.title(\"Work\");",
                "session.prompt(\"hello\").text();",
                "agent.newSession(Path.of(\"/\"));",
                "String text = turn.files().readText(Path.of(\"/a\"));",
                "Agent.builder(\"a\", \"1\").on(\"_x\", (ConnectedClient from, RawJson params) -> params);",
                "Client.builder(\"c\", \"1\").on(\"_x\", (ConnectedAgent from, RawJson params) -> params);",
                "Agent.builder(\"a\", \"1\").on(\"_x\", (Peer from, RawJson params) -> params);",
                "InitializeResponse ok = agent.call(AgentMethods.INITIALIZE, InitializeRequest.builder(1).build());",
            })
    void whatASideMaySayCompiles(String statement) {
        assertThat(errors(statement)).isEmpty();
    }

    @ParameterizedTest
    @Tag("API-06")
    @ValueSource(
            strings = {
                "turn.prompt(\"hello\");",
                "served.prompt(\"hello\");",
                "client.newSession(Path.of(\"/\"));",
                "session.message(\"hello\");",
                "session.requestPermission(null, List.of());",
                "agent.files();",
                "agent.authMethods().get(0).authenticate();",
                "client.authenticate(AuthMethodId.of(\"a\"));",
                "Agent.builder(\"a\", \"1\").onPermission(request -> request.allowOnce());",
                "Client.builder(\"c\", \"1\").onPrompt(t -> {});",
                "Agent.builder(\"a\", \"1\").on(\"_x\", (ConnectedAgent from, RawJson params) -> params);",
                "Client.builder(\"c\", \"1\").on(\"_x\", (ConnectedClient from, RawJson params) -> params);",
                "agent.call(AgentMethods.INITIALIZE, CancelNotification.of(SessionId.of(\"s\")));",
                "NewSessionResponse wrong = agent.call(AgentMethods.INITIALIZE, InitializeRequest.builder(1).build());",
            })
    void whatASideMayNotSayDoesNotCompile(String statement) {
        assertThat(errors(statement)).isNotEmpty().allMatch(error -> !error.contains("package"));
    }

    private List<String> errors(String statement) {
        var source = new SimpleJavaFileObject(URI.create("string:///Program.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return PROGRAM.replace("STATEMENT", statement);
            }
        };
        var found = new DiagnosticCollector<JavaFileObject>();
        List<String> options =
                List.of("-cp", System.getProperty("java.class.path"), "-d", classes.toString(), "-proc:none");
        boolean unused = ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, found, options, null, List.of(source))
                .call();
        List<String> errors = new ArrayList<>();
        // A copy: asking for a message may find more.
        for (Diagnostic<? extends JavaFileObject> each : List.copyOf(found.getDiagnostics())) {
            if (each.getKind() == Diagnostic.Kind.ERROR) {
                errors.add(each.getMessage(Locale.ROOT));
            }
        }
        return errors;
    }
}
