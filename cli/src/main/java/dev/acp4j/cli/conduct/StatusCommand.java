package dev.acp4j.cli.conduct;

import dev.acp4j.cli.command.CommandFailedException;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code acp conduct status}: the running chains of this user. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = {
            "Lists the running chains of this user: for each program its process, its state, how often it was started "
                    + "again, the requests inside it, the bytes that wait to be written to it, and the median and the "
                    + "99th percentile of the time that requests spend in it; and for the slowest turns, the time of each "
                    + "program."
        })
public final class StatusCommand implements Callable<Integer> {
    private static final String ROW = "  %-20s %8s  %-9s %8s %9s %10s %10s %10s";

    private final Streams streams;

    @Option(names = "--json", description = "Print one JSON object a chain.")
    private boolean json;

    public StatusCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() {
        List<String> chains;
        try {
            chains = StatusSocket.all();
        } catch (IOException e) {
            throw new CommandFailedException(Failure.agent(SafeText.line(IoProblem.text(e))));
        }
        for (String chain : chains) {
            if (json) {
                streams.out().println(chain);
            } else {
                print(chain);
            }
        }
        if (chains.isEmpty() && !json) {
            streams.out().println("no chain is running");
        }
        return ExitCode.END_OF_TURN.number();
    }

    private void print(String line) {
        if (!(RawJson.parse(line).value() instanceof JsonObject chain)) {
            return;
        }
        if (!(chain.members().get("components") instanceof JsonArray components)) {
            streams.out().println("chain " + SafeText.line(text(chain, "pid") + ": " + text(chain, "problem")));
            return;
        }
        streams.out().println("chain " + text(chain, "pid"));
        streams.out()
                .println(ROW.formatted(
                                "component", "process", "state", "restarts", "in flight", "queued", "median", "99%")
                        .stripTrailing());
        for (JsonValue each : components.elements()) {
            if (each instanceof JsonObject component) {
                streams.out()
                        .println(ROW.formatted(
                                SafeText.line(text(component, "id")),
                                text(component, "pid"),
                                text(component, "state"),
                                text(component, "restarts"),
                                text(component, "inFlight"),
                                text(component, "queuedBytes"),
                                text(component, "medianMicros") + " µs",
                                text(component, "p99Micros") + " µs"));
            }
        }
        printTurns(chain);
    }

    private void printTurns(JsonObject chain) {
        if (!(chain.members().get("slowestTurns") instanceof JsonArray turns)
                || turns.elements().isEmpty()) {
            return;
        }
        streams.out().println("  the slowest of the last 256 turns:");
        for (JsonValue each : turns.elements()) {
            if (each instanceof JsonObject turn && turn.members().get("components") instanceof JsonObject parts) {
                List<String> times = new ArrayList<>();
                parts.members().keySet().forEach(id -> times.add(SafeText.line(id) + " " + text(parts, id) + " µs"));
                streams.out()
                        .println("    " + text(turn, "micros") + " µs in session "
                                + SafeText.line(text(turn, "session")) + ": " + String.join(", ", times));
            }
        }
    }

    private static String text(JsonObject of, String name) {
        return switch (of.members().get(name)) {
            case JsonString text -> text.value();
            case JsonNumber number -> number.toString();
            case null, default -> "-";
        };
    }
}
