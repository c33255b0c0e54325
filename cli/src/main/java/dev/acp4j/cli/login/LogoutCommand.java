package dev.acp4j.cli.login;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.Feature;
import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.AgentConnector;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.NotOfferedException;
import dev.acp4j.cli.command.Recording;
import dev.acp4j.cli.command.SessionOptions;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.connect.RemoteOptions;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code acp logout}: ends the login of the user with an agent. */
@Command(
        name = "logout",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = {"acp logout [OPTIONS] -- COMMAND [ARGUMENT...]", "       acp logout [OPTIONS] URL|NAME"},
        description = {
            "Logs out of an agent, which forgets the login of the user.",
            "",
            "With the URL of a remote agent, or the NAME of a server, forgets the token of 'acp login URL', here and, if "
                    + "it can, at the authorization server."
        },
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp logout -- gemini --acp",
            "  acp logout https://agents.example/acp",
            "",
            "Exit codes:",
            "    0  the user is logged out",
            "    1  the agent could not be started, died, did not respond, or responded with an error",
            "    2  wrong command line",
            "    8  the agent does not offer this",
            "  130  interrupted"
        })
public final class LogoutCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    private final AgentChoice agent;

    @Parameters(arity = "0..1", paramLabel = "URL|NAME", description = "A remote agent.")
    private @Nullable String place;

    @Mixin
    private final RemoteOptions remote = new RemoteOptions();

    @Mixin
    private final SessionOptions options = new SessionOptions();

    public LogoutCommand(Streams streams, AgentChoice agent) {
        this.streams = streams;
        this.agent = agent;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (place != null) {
            if (agent.isGiven() || !RemoteOptions.isPlace(place)) {
                throw new UsageException(
                        "unexpected argument '" + SafeText.line(place) + "'; the command of an agent goes after --");
            }
            boolean wasThere =
                    remote.login(remote.find(place), streams.err()::println).logOut();
            streams.err().println(wasThere ? "Logged out." : "There was no login.");
            return ExitCode.END_OF_TURN.number();
        }
        try (Recording recording = new Recording(options.trace, streams)) {
            AgentConnector connector = new AgentConnector(options, agent, options.folder(), recording);
            try (ConnectedAgent connected = connector.connect(streams.err()::println, client -> {})) {
                NotOfferedException.require(connected, Feature.LOGOUT);
                connected.logout();
            }
        }
        streams.err().println("Logged out.");
        return ExitCode.END_OF_TURN.number();
    }
}
