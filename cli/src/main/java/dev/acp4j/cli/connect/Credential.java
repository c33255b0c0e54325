package dev.acp4j.cli.connect;

import dev.acp4j.cli.command.UsageException;
import dev.acp4j.http.RemoteAgent;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where the token for a remote agent comes from. */
final class Credential {
    private static final String STANDARD_VARIABLE = "ACP_TOKEN";

    @Option(
            names = "--token-env",
            paramLabel = "NAME",
            description = "Send the token in this environment variable; default: ACP_TOKEN, if it is set, else that of "
                    + "'acp login URL'.")
    private @Nullable String variable;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "Send the token in this file, which only you may read. It is read for each request.")
    private @Nullable Path file;

    @Option(
            names = "--token-command",
            paramLabel = "COMMAND",
            description =
                    "Send the first line that this command of the shell prints, such as that of a keychain. It is "
                            + "run at the start, and again when the server refuses the token.")
    private @Nullable String command;

    @Option(names = "--token", hidden = true, paramLabel = "TOKEN", description = "Not taken.")
    private @Nullable String word;

    /**
     * What was found.
     *
     * @param source where the token comes from; null when there is none
     * @param adds gives an agent the token
     */
    record Found(@Nullable String source, UnaryOperator<RemoteAgent> adds) {
        RemoteAgent addTo(RemoteAgent remote) {
            return adds.apply(remote);
        }
    }

    /** Returns the name of an option that says where the token is; null for none. */
    @Nullable
    String given() {
        return word != null
                ? "--token"
                : variable != null
                        ? "--token-env"
                        : file != null ? "--token-file" : command != null ? "--token-command" : null;
    }

    /** Uses what a file says of the server, unless the command line says something else. */
    void orElse(NamedServer server) {
        if (variable == null && file == null && command == null) {
            variable = server.get("tokenEnv");
            file = server.path("tokenFile");
            command = server.get("tokenCommand");
        }
    }

    /** Finds the token for an endpoint. A login is renewed at its authorization server. */
    Found find(URI endpoint, AuthorizationServer server) {
        if (word != null) {
            throw new UsageException("--token is not taken, since other users of this machine can read the words of a"
                    + " command line: use --token-env, --token-file or --token-command");
        }
        List<Secret> given = new ArrayList<>();
        if (variable != null) {
            given.add(new Secret.Variable(variable));
        }
        if (file != null) {
            given.add(new Secret.OfFile(file));
        }
        if (command != null) {
            given.add(new Secret.Command(command));
        }
        if (given.size() > 1) {
            throw new UsageException("--token-env, --token-file and --token-command cannot be combined");
        }
        if (!given.isEmpty()) {
            return found(given.getFirst());
        }
        String standard = System.getenv(STANDARD_VARIABLE);
        if (standard != null && !standard.isBlank()) {
            return found(new Secret.Variable(STANDARD_VARIABLE));
        }
        StoredLogin login = StoredLogin.of(endpoint, server);
        return login.isThere()
                ? new Found("'acp login'", remote -> remote.bearerUntilRefused(login.tokens()))
                : new Found(null, remote -> remote);
    }

    private static Found found(Secret secret) {
        // Read here, too, so that what cannot be read is misuse.
        String now = secret.read();
        if (!(secret instanceof Secret.Command)) {
            return new Found(secret.source(), remote -> remote.bearer(secret::read));
        }
        AtomicReference<@Nullable String> first = new AtomicReference<>(now);
        return new Found(
                secret.source(),
                remote -> remote.bearerUntilRefused(() -> {
                    String known = first.getAndSet(null);
                    return known == null ? secret.read() : known;
                }));
    }
}
