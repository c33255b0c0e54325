package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.CommandFailedException;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.RegistryFailure;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import java.io.IOException;
import java.util.List;

/** Does the same for several agents: one that fails is named, and stops no other. */
final class EachAgent {
    private EachAgent() {}

    /** Work with an agent. */
    @FunctionalInterface
    interface Work {
        /** Returns whether it is done; if not, it has said why. */
        boolean run(String name) throws IOException, InterruptedException;
    }

    /** Returns the exit code. The failure of an agent that is the only one is that of the command. */
    static ExitCode of(List<String> names, Streams streams, Work work) throws IOException, InterruptedException {
        boolean isDone = true;
        for (String name : names) {
            if (names.size() == 1) {
                isDone = work.run(name);
            } else {
                isDone &= tried(name, streams, work);
            }
        }
        return isDone ? ExitCode.END_OF_TURN : ExitCode.AGENT_FAILED;
    }

    private static boolean tried(String name, Streams streams, Work work) throws InterruptedException {
        Failure failure;
        try {
            return work.run(name);
        } catch (IOException e) {
            failure = Failure.of(RegistryFailure.of(e));
        } catch (CommandFailedException | UsageException e) {
            failure = Failure.of(e);
        }
        new Failure(SafeText.line(name) + ": " + failure.message(), failure.details(), failure.code()).tell(streams);
        return false;
    }
}
