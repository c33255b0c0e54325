package dev.acp4j.cli.login;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.acp4j.Agent;
import dev.acp4j.Stdio;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.AuthenticateResponse;
import dev.acp4j.schema.EnvVariable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Scanner;

/**
 * An agent for tests with a login of each kind. The login is a file in its folder; the key is good if it is
 * {@code s3cret}. With the argument {@code device}, it is the program of the login in a terminal.
 */
public final class LoginAgent {
    private LoginAgent() {}

    /** Serves on standard input and output, or logs in. */
    public static void main(String[] args) throws Exception {
        Path login = Path.of(args[0], "login");
        if (args.length > 1 && args[1].equals("device")) {
            System.out.print("Type the code of " + System.getenv("DEVICE") + ": ");
            System.out.flush();
            boolean isRight = new Scanner(System.in, UTF_8).nextLine().equals("42");
            if (isRight) {
                Files.writeString(login, "terminal");
            }
            System.exit(isRight ? 0 : 5);
        }
        List<AuthMethod> methods = List.of(
                AuthMethod.Agent.builder(AuthMethodId.of("browser"), "Log in with a browser")
                        .description("Opens a page")
                        .build(),
                AuthMethod.Terminal.builder(AuthMethodId.of("device"), "Log in with a code")
                        .args(List.of("device"))
                        .env(List.of(EnvVariable.of("DEVICE", "the phone")))
                        .build(),
                new AuthMethod.Unknown("env_var", RawJson.parse("""
                        {"type":"env_var","id":"key","name":"Use a key","link":"https://example.org/keys","vars":[\
                        {"name":"MAGIC_WORD","label":"Magic word"},\
                        {"name":"MAGIC_REGION","label":"Region","secret":false,"optional":true}]}""")));
        Agent.builder("login", "1.0")
                .onNewSession(session -> {
                    if (!Files.exists(login)) {
                        throw RpcError.authRequired();
                    }
                })
                .onAuthenticate(methods, (client, id) -> {})
                // The library knows no methods of this type.
                .on(AgentMethods.AUTHENTICATE, (client, request) -> {
                    authenticate(request.methodId().value(), login);
                    return AuthenticateResponse.of();
                })
                .onLogout(client -> Files.deleteIfExists(login))
                .onResumeSession(session -> {})
                .onPrompt(turn -> {
                    if (turn.text().equals("private") && !Files.exists(login)) {
                        throw RpcError.authRequired();
                    }
                    turn.message(
                            turn.text().equals("private")
                                    ? "Hello from " + System.getenv("MAGIC_REGION") + " in " + turn.sessionId()
                                    : "Hello.");
                })
                .build()
                .serve(Stdio.system());
    }

    private static void authenticate(String method, Path login) throws Exception {
        String word = System.getenv("MAGIC_WORD");
        switch (method) {
            case "browser" -> Files.writeString(login, "browser");
            case "key" -> {
                if (!"s3cret-word-4711".equals(word)) {
                    throw RpcError.invalidParams("the magic word is wrong: " + word);
                }
                Files.writeString(login, "key in " + System.getenv("MAGIC_REGION"));
            }
            default -> throw RpcError.invalidParams("never sent: " + method);
        }
    }
}
