package dev.acp4j.cli.login;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.Feature;
import dev.acp4j.Session;
import dev.acp4j.cli.command.AgentConnector;
import dev.acp4j.cli.command.CommandFailedException;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.LoginMethod;
import dev.acp4j.cli.command.NotOfferedException;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchException;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.EnvVariable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jline.utils.Signals;

/** Logs the user in with an agent, and sees that it opens a session. */
final class Login {
    private final AgentConnector connector;
    private final Streams streams;

    Login(AgentConnector connector, Streams streams) {
        this.connector = connector;
        this.streams = streams;
    }

    /** Starts the agent. */
    ConnectedAgent connect() throws InterruptedException {
        return connector.connect(streams.err()::println, client -> client.terminalAuthentication(true));
    }

    /** Logs in with a method, by its id. */
    void with(String id) throws InterruptedException, IOException {
        LoginMethod method;
        try (ConnectedAgent agent = connect()) {
            method = LoginMethod.find(LoginMethod.of(agent.authMethods()), id);
            if (method.type() == LoginMethod.Type.AGENT) {
                authenticate(agent, method);
                return;
            }
        }
        if (method.method() instanceof AuthMethod.Terminal terminal) {
            runInTerminal(terminal);
            try (ConnectedAgent agent = connect()) {
                open(agent);
            }
        } else if (method.type() == LoginMethod.Type.ENVIRONMENT) {
            withVariables(method);
        } else {
            throw new NotOfferedException("the login method " + method.safeId() + " is of the type "
                    + SafeText.line(method.typeName()) + ", which acp does not know; use the agent's own command");
        }
    }

    private void authenticate(ConnectedAgent agent, LoginMethod method) throws InterruptedException {
        streams.err().println("Waiting for the agent: " + SafeText.line(method.name()));
        agent.authenticate(AuthMethodId.of(method.id()));
        open(agent);
    }

    /** Opens a session and ends it: nobody wants to see it in a list. */
    private void open(ConnectedAgent agent) throws InterruptedException {
        Session session = agent.newSession(connector.cwd());
        session.close();
        if (agent.supports(Feature.DELETE_SESSION)) {
            agent.deleteSession(session.id());
        }
    }

    /** Runs the agent's program with the arguments of the method, on the standard streams of this process. */
    private void runInTerminal(AuthMethod.Terminal method) throws InterruptedException, IOException {
        Launch launch = connector.launch().withArguments(method.args().toArray(String[]::new));
        for (EnvVariable variable : method.env()) {
            launch = launch.env(variable.name(), variable.value());
        }
        List<String> command = new ArrayList<>();
        try {
            command.add(launch.program().toString());
        } catch (LaunchException e) {
            throw new CommandFailedException(Failure.agent(SafeText.line(String.valueOf(e.getMessage()))));
        }
        command.addAll(launch.arguments());
        ProcessBuilder program =
                new ProcessBuilder(command).directory(connector.cwd().toFile()).inheritIO();
        program.environment().clear();
        program.environment().putAll(launch.environment());
        // Ctrl-C is for the program.
        Object before = Signals.register("INT", () -> {});
        int code;
        try {
            Process process = program.start();
            try {
                code = process.waitFor();
            } catch (InterruptedException e) {
                process.destroy();
                throw e;
            }
        } finally {
            Signals.unregister("INT", before);
        }
        if (code != 0) {
            throw new CommandFailedException(Failure.agent(
                    "the login has failed: " + SafeText.line(launch.commandLine()) + " ended with exit code " + code,
                    otherReading(method)));
        }
    }

    /**
     * The protocol says that the arguments of a method are added, the page of the registry that they replace others.
     */
    private String[] otherReading(AuthMethod.Terminal method) {
        Launch agent = connector.launch();
        if (agent.arguments().isEmpty()) {
            return new String[0];
        }
        String alone = Launch.of(agent.command(), method.args()).commandLine();
        return new String[] {
            "The arguments of the login were added to those of the agent, as the protocol says. For an agent that means",
            "them alone, run: " + SafeText.line(alone)
        };
    }

    /** Asks for the variables of a method and starts the agent with them. They are stored nowhere. */
    private void withVariables(LoginMethod method) throws InterruptedException {
        try (ConnectedAgent agent = connector.logIn(method, new VariableQuestion(streams), () -> {
            streams.err().println("Waiting for the agent: " + SafeText.line(method.name()));
            return connect();
        })) {
            open(agent);
        } catch (RpcException e) {
            throw new CommandFailedException(connector.redacted(Failure.of(e)));
        }
        streams.err().println("acp has not stored the variables: set them where you start the agent.");
    }
}
