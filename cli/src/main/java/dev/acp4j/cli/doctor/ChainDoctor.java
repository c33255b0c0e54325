package dev.acp4j.cli.doctor;

import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.Termination;
import dev.acp4j.cli.conduct.ExaminedChain;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.proxy.Conductor;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Examines a chain: each component alone between a client and an agent that are played here, then all together, each in
 * both versions of the protocol. The first component that breaks something is named.
 */
final class ChainDoctor {
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private final ExaminedChain parts;
    private final DoctorOutput output;
    private final Duration patience;
    private final List<Changes> changes = new ArrayList<>();
    private @Nullable String firstBroken;
    private String breaks = "";

    ChainDoctor(ExaminedChain parts, DoctorOutput output, Duration timeout) {
        this.parts = parts;
        this.output = output;
        this.patience = timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST;
    }

    /**
     * Examines all but the agent; returns whether nothing is broken.
     *
     * @throws InterruptedException if a signal ended the examination; the summary says so
     */
    boolean examine(Termination termination) throws InterruptedException {
        try {
            List<String> ids = parts.ids();
            for (int i = 0; i < ids.size(); i++) {
                int index = i;
                output.part(ids.get(i) + " alone: " + parts.commandLine(i));
                if (parts.isWrapper(i)) {
                    output.found("wrapper", Finding.skipped("examined together with the agent, which it starts"), 0);
                } else {
                    examine(ids.get(i), conductor -> parts.addTo(conductor, index));
                }
            }
            boolean eachWorks = firstBroken == null;
            if (ids.size() > 1) {
                output.part("the chain: " + String.join(", ", ids));
                examine("the chain", parts::addTo);
            }
            output.changes(changes);
            conclude(eachWorks);
            return firstBroken == null;
        } catch (InterruptedException e) {
            Failure ended = termination.failure();
            output.isCutOff(ended == null ? ExitCode.CANCELLED : ended.code());
            throw e;
        }
    }

    private void conclude(boolean eachWorks) {
        if (firstBroken == null) {
            output.conclusion(null, "No component breaks anything.");
        } else if (eachWorks) {
            output.conclusion(null, "Each component works alone, but the chain breaks something: " + breaks);
        } else {
            output.conclusion(
                    firstBroken, "The first component that breaks something is " + firstBroken + ": " + breaks);
        }
    }

    // ---- one part

    private void examine(String name, Consumer<Conductor.Builder> part) throws InterruptedException {
        Map<Version, TestedChain> chains = new EnumMap<>(Version.class);
        try {
            for (Version version : Version.values()) {
                try {
                    chains.put(version, TestedChain.start(part, version, patience));
                } catch (IOException e) {
                    found(name, "start", Finding.problem(SafeText.line(String.valueOf(e.getMessage()))), 0);
                    return;
                }
            }
            for (ChainSteps.ChainStep step : ChainSteps.ALL) {
                output.begins(step.name());
                long begin = System.nanoTime();
                Finding finding = examine(step, chains);
                found(name, step.name(), finding, (System.nanoTime() - begin) / 1_000_000);
                if (step.name().equals("initialize")) {
                    rememberChanges(name, chains);
                }
            }
        } finally {
            chains.values().forEach(TestedChain::close);
        }
    }

    private void found(String part, String step, Finding finding, long millis) {
        output.found(step, finding, millis);
        if (finding.level() == Finding.Level.PROBLEM && firstBroken == null) {
            firstBroken = part;
            breaks = step + ": " + finding.text();
        }
    }

    /** Examines both versions, and returns the worse finding, or the one of both. */
    private static Finding examine(ChainSteps.ChainStep step, Map<Version, TestedChain> chains)
            throws InterruptedException {
        Finding worst = null;
        for (TestedChain chain : chains.values()) {
            boolean isPossible = chain.initialized != null || step.name().equals("initialize");
            Finding finding = isPossible ? examine(step, chain) : Finding.skipped("skipped, because of the above");
            Finding named = finding.level() == Finding.Level.OK || finding.level() == Finding.Level.SKIPPED
                    ? finding
                    : new Finding(
                            finding.level(),
                            "version " + chain.version.number() + ": " + finding.text(),
                            finding.cause(),
                            finding.next(),
                            finding.evidence(),
                            finding.details());
            if (worst == null || rank(named) > rank(worst)) {
                worst = named;
            }
        }
        return worst == null ? Finding.skipped("skipped, because of the above") : worst;
    }

    /** A version that is not spoken has nothing to say of the other. */
    private static int rank(Finding finding) {
        return switch (finding.level()) {
            case SKIPPED -> 0;
            case OK -> 1;
            case WARNING -> 2;
            case PROBLEM -> 3;
        };
    }

    private static Finding examine(ChainSteps.ChainStep step, TestedChain chain) throws InterruptedException {
        try {
            return step.examination().of(chain);
        } catch (IOException e) {
            return Finding.problem("the chain has ended").shown("reports:", chain.notices(), Failure.STDERR_LINES);
        }
    }

    private void rememberChanges(String part, Map<Version, TestedChain> chains) {
        for (TestedChain chain : chains.values()) {
            if (chain.initialized != null) {
                boolean isV2 = chain.version == Version.V2;
                changes.add(new Changes(
                        part,
                        chain.version,
                        CapabilityChanges.of(
                                PlayedAgent.offers(chain.version),
                                chain.initialized,
                                isV2 ? "capabilities" : "agentCapabilities"),
                        CapabilityChanges.of(
                                TestedChain.clientOffers(chain.version),
                                chain.agent.initializedWith(),
                                isV2 ? "capabilities" : "clientCapabilities")));
            }
        }
    }

    /**
     * What a part of a chain does to the capabilities.
     *
     * @param ofAgent what becomes of those of the agent, toward the client
     * @param ofClient what becomes of those of the client, toward the agent
     */
    record Changes(String part, Version version, CapabilityChanges ofAgent, CapabilityChanges ofClient) {}
}
