package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.CommandFailedException;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.cli.terminal.TerminalText;
import dev.acp4j.registry.Agents;
import dev.acp4j.registry.Distribution;
import dev.acp4j.registry.Installation;
import dev.acp4j.registry.Pin;
import dev.acp4j.registry.Platform;
import dev.acp4j.registry.Proposal;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Says what an installation would do, and asks the person at the terminal. */
final class InstallDialog {
    private static final Pattern VERSION = Pattern.compile("\\d\\.\\d|\\d{4}");

    private final Streams streams;
    private final Agents agents;
    private final boolean yes;
    private final boolean allowUnverified;

    /**
     * @param yes whether the answer to the usual question is yes
     * @param allowUnverified whether the answer to the question about bytes that nothing verifies is yes
     */
    InstallDialog(Streams streams, Agents agents, boolean yes, boolean allowUnverified) {
        this.streams = streams;
        this.agents = agents;
        this.yes = yes;
        this.allowUnverified = allowUnverified;
    }

    /**
     * Asks for what is not allowed yet.
     *
     * @param asks whether there is a question even if everything is verified
     * @throws CommandFailedException if the answer is no
     */
    Agents.Consent consent(Proposal proposal, boolean asks) {
        Pin pin = proposal.pin();
        proposal.notices().forEach(notice -> RegistryOptions.say(streams, notice));
        List<String> unverified = unverified(pin);
        boolean isVerified = unverified.isEmpty();
        if (!isVerified && !allowUnverified) {
            String fact = "nothing says which bytes it must have for " + String.join(", ", unverified);
            ask(
                    pin + " is from " + host(pin) + ", and " + fact + ". Install it, and pin what comes?",
                    pin + " has no digest in its entry: " + fact + ". To pin what comes, add --allow-unverified");
        } else if (asks && !yes) {
            ask(
                    "Install " + pin + " (" + String.join(", ", facts(pin)) + ")?",
                    "there is nobody here to ask; add --yes");
        }
        return isVerified ? Agents.Consent.VERIFIED : Agents.Consent.UNVERIFIED;
    }

    /**
     * Asks about another package or another host under the same id, which is a question of its own: it gets what the
     * user has set for the agent.
     */
    void consentToOrigin(Proposal proposal) throws IOException {
        Pin before = proposal.present();
        if (before != null) {
            consentToOrigin(List.of(before), proposal.pin(), "acp agents update");
        }
    }

    /**
     * Says which file pins what is missing, and asks if that is from another package or host than what the user has
     * under the same id: the author of the file has chosen it.
     */
    void consentToLock(Proposal proposal, boolean allowOtherHost) throws IOException {
        Pin pin = proposal.pin();
        if (proposal.isInstalled()) {
            return;
        }
        if (proposal.isPinned()) {
            RegistryOptions.say(streams, pin + " is pinned in " + agents.lockFile(pin.id()));
        }
        if (!allowOtherHost) {
            consentToOrigin(pin, "acp agents add");
        }
    }

    /**
     * Asks about another package or host than that of what the user has under the same id.
     *
     * @param command what accepts it with an option
     */
    void consentToOrigin(Pin pin, String command) throws IOException {
        Pin own = agents.userLockFile().pin(pin.id()).orElse(null);
        List<Pin> known = own != null
                ? List.of(own)
                : agents.installations().stream()
                        .map(Installation::pin)
                        .filter(each -> each.id().equals(pin.id()))
                        .toList();
        consentToOrigin(known, pin, command);
    }

    private void consentToOrigin(List<Pin> known, Pin pin, String command) throws IOException {
        String now = origin(pin);
        List<String> before = known.stream().map(this::origin).distinct().toList();
        if (before.isEmpty() || before.contains(now)) {
            return;
        }
        String old = String.join(" and ", before);
        String id = pin.id();
        Set<String> variables = agents.variables(id).keySet();
        String fact = id + " came from " + old + " and would come from " + now
                + (variables.isEmpty()
                        ? ""
                        : ". It would get " + String.join(", ", variables) + ", which 'acp agents set' keeps");
        ask(
                fact + ". Is that meant?",
                fact + ". That is asked for at a terminal only. To accept it: " + command + " --allow-other-host "
                        + id);
    }

    /** @throws CommandFailedException unless the answer is yes */
    private void ask(String question, String unattended) {
        if (!streams.hasPerson()) {
            throw new CommandFailedException(Failure.agent(SafeText.line(unattended)));
        }
        streams.err().print(TerminalText.of(SafeText.line(question) + " [y/N] "));
        String answer;
        try {
            answer = new BufferedReader(new InputStreamReader(streams.in(), streams.charset())).readLine();
        } catch (IOException e) {
            answer = null;
        }
        if (answer == null || !answer.strip().equalsIgnoreCase("y")) {
            throw new CommandFailedException(Failure.agent("nothing was installed"));
        }
    }

    /** npm and uv check what they fetch against what their server says, and pin that. */
    private static List<String> unverified(Pin pin) {
        List<String> platforms = new ArrayList<>();
        if (pin.distribution() instanceof Distribution.Binary binary) {
            binary.archives().forEach((platform, archive) -> {
                if (archive.sha256() == null) {
                    platforms.add(platform.id());
                }
            });
        }
        return platforms;
    }

    Distribution.@Nullable Archive archive(Pin pin) {
        if (pin.distribution() instanceof Distribution.Binary binary) {
            for (Platform platform :
                    agents.settings().platform().map(Platform::runnable).orElse(List.of())) {
                if (binary.archives().containsKey(platform)) {
                    return binary.archives().get(platform);
                }
            }
        }
        return null;
    }

    /** Returns where it comes from: the host of its archive, or its package. */
    String origin(Pin pin) {
        return switch (pin.distribution()) {
            case Distribution.Packaged each -> each.kind().id() + " " + each.name();
            case Distribution.Binary binary -> host(pin);
        };
    }

    private String host(Pin pin) {
        Distribution.Archive here = archive(pin);
        if (!(pin.distribution() instanceof Distribution.Binary binary)) {
            return pin.distribution().kind().id();
        }
        // A pin without this platform comes from where its other archives come from.
        URI uri = (here == null ? binary.archives().values().iterator().next() : here).uri();
        String path = Objects.requireNonNullElse(uri.getPath(), "");
        StringBuilder project = new StringBuilder(String.valueOf(uri.getHost()));
        // On hosts of many projects, the first two names of the path are the project; versions and files are not.
        String[] parts = path.split("/", -1);
        for (int i = 1; i < Math.min(3, parts.length - 1); i++) {
            if (parts[i].contains(pin.version()) || VERSION.matcher(parts[i]).find()) {
                break;
            }
            project.append('/').append(parts[i]);
        }
        return project.toString();
    }

    /** Returns what a person wants to know first: size, digest, licence, source. */
    List<String> facts(Pin pin) {
        List<String> facts = new ArrayList<>();
        facts.add(origin(pin));
        Distribution.Archive archive = archive(pin);
        if (archive != null) {
            facts.add(archive.size() < 0 ? "size unknown" : ProgressOutput.size(archive.size()));
            String sha256 = archive.sha256();
            facts.add(sha256 == null ? "no digest" : "SHA-256 " + sha256.substring(0, 12) + "…");
        }
        facts.add("licence " + Objects.requireNonNullElse(pin.license(), "not said"));
        facts.add("from " + pin.source());
        return facts;
    }

    static UsageException noNames(String usage) {
        return new UsageException("the name of an agent is missing: " + usage);
    }
}
