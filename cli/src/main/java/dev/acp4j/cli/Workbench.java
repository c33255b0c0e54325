package dev.acp4j.cli;

import dev.acp4j.Client;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.workspace.Workspace;
import org.jspecify.annotations.Nullable;

/** What we offer an agent to work with: files inside the session's folder, terminals. */
final class Workbench {
    /** Offers it to a client's agent. */
    void offer(Client.Builder client) {
        Workspace.offerFilesTo(client);
    }

    /** Returns what a terminal has printed so far; null for a terminal that is not ours. */
    @Nullable
    String output(TerminalId terminal) {
        return null;
    }
}
