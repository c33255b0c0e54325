package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.registry.Agents;
import dev.acp4j.registry.Installation;
import dev.acp4j.registry.LockFile;
import dev.acp4j.registry.NotInstalledException;
import dev.acp4j.registry.Proposal;
import dev.acp4j.registry.RegistrySettings;
import java.io.IOException;
import java.nio.file.Path;

/** Offers to install an agent that was named and is missing: at a terminal, and to a person who waits for it. */
public final class InstallOffer {
    private InstallOffer() {}

    /**
     * Does nothing if the agent is installed, or there is nobody to ask: starting it fails then, and says what to do.
     *
     * @throws dev.acp4j.cli.command.CommandFailedException if the answer is no, or it cannot be installed
     */
    public static void of(AgentChoice choice, Streams streams) throws InterruptedException {
        String name = choice.named();
        if (name == null || !streams.hasPerson()) {
            return;
        }
        try (Agents agents = Agents.of(RegistrySettings.ofUser(), Path.of(""))) {
            if (isMissing(agents, name)) {
                Proposal proposal = agents.propose(name, null, false);
                InstallDialog dialog = new InstallDialog(streams, agents, false, false);
                dialog.consentToLock(proposal, false);
                Agents.Consent consent = dialog.consent(proposal, true);
                LockFile lock = agents.lockFile(proposal.pin().id());
                agents.install(proposal, consent, lock, true, new ProgressOutput(streams, new RegistryOptions()));
            }
        } catch (IOException e) {
            throw choice.failure(e);
        }
    }

    private static boolean isMissing(Agents agents, String name) throws IOException {
        try {
            Installation unused = agents.installation(name);
            return false;
        } catch (NotInstalledException e) {
            return true;
        }
    }
}
