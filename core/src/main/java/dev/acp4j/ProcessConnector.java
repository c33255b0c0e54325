package dev.acp4j;

import java.io.IOException;

/** Starts an agent's process and joins it with a client. */
final class ProcessConnector {
    private ProcessConnector() {}

    static ConnectedAgent connect(Client client, AgentProcess process) throws InterruptedException {
        RunningAgent running;
        try {
            running = process.start();
        } catch (IOException e) {
            FailureReport report =
                    FailureReport.of("starting", process.commandLine()).withProblem(e.getMessage());
            throw new AgentFailedException(report, null, e);
        }
        boolean connected = false;
        try {
            ConnectedAgent agent = client.connect(running.transport(), new ProcessFailures(running));
            connected = true;
            return agent;
        } finally {
            if (!connected) {
                running.close();
            }
        }
    }
}
