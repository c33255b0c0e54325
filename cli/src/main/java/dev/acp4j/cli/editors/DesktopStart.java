package dev.acp4j.cli.editors;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.Version;
import dev.acp4j.process.Launch;
import dev.acp4j.rpc.RpcException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Starts agents as an editor does that was started from the desktop: no shell has set variables for it. */
final class DesktopStart {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration SHORTLY = Duration.ofSeconds(1);

    private DesktopStart() {}

    /** Returns the launch of an agent with the home folder, the system's search path and its own variables only. */
    static Launch launch(AgentEntry entry, Desktop desktop) {
        Launch launch = Launch.of(entry.command(), entry.args())
                .inheritOnly()
                .cwd(desktop.home())
                .shutdownTimes(SHORTLY, SHORTLY);
        for (Map.Entry<String, String> variable : desktop.bareEnvironment().entrySet()) {
            launch = launch.env(variable.getKey(), variable.getValue());
        }
        for (Map.Entry<String, String> variable : entry.env().entrySet()) {
            launch = launch.env(variable.getKey(), variable.getValue());
        }
        return launch;
    }

    /** Returns why an agent does not answer its first request there; null if it does. */
    static @Nullable Failure failure(AgentEntry entry, Desktop desktop) throws InterruptedException {
        try {
            ConnectedAgent agent = Client.builder("acp", Version.text())
                    .title("acp")
                    .startTimeout(PATIENCE)
                    .connect(launch(entry, desktop));
            agent.close();
            return null;
        } catch (RpcException e) {
            Failure failure = Failure.of(e);
            List<String> details = new ArrayList<>(failure.details());
            details.add(
                    "It was started as an editor does: in your home folder, with the search path of a desktop. Files "
                            + "must be given by their full paths. If it needs programs from elsewhere, add --env "
                            + "\"PATH=$PATH\"; --no-check writes it as it is.");
            return new Failure(failure.message(), details, failure.code());
        }
    }
}
