package dev.acp4j.cli;

import dev.acp4j.Stdio;
import dev.acp4j.cli.agent.AgentCommand;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.rpc.ConnectionClosedException;

/** The command {@code acp}. */
public final class Acp {
    private Acp() {}

    /**
     * Runs a command and ends the process with its exit code.
     *
     * @param args the command line; see {@code acp --help}
     * @throws InterruptedException when interrupted while serving
     */
    public static void main(String[] args) throws InterruptedException {
        // Startup time of the agent matters: nothing else is loaded before it.
        if (args.length == 1 && args[0].equals("agent")) {
            try {
                AgentCommand.builtIn().serve(Stdio.system());
                return;
            } catch (ConnectionClosedException e) {
                System.exit(AgentCommand.ended(e, Streams.system()).number());
            }
        }
        System.exit(CommandLines.run(args));
    }
}
