package dev.acp4j.cli.trace;

import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.json.RawJson;
import dev.acp4j.trace.TraceEvent;
import dev.acp4j.trace.TraceHeader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code acp trace show}: shows a trace for people to read. */
@Command(
        name = "show",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = "acp trace show [OPTIONS] [FILE...]",
        description = {
            "Shows a trace: the messages with time, sender and receiver, and the duration of requests.",
            "",
            "The traces of several connections of one run, such as those between proxies, are merged. That of a chain has "
                    + "an event for each hop of a message; @NUMBER is what its hops have in common."
        },
        parameterListHeading = "%n",
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp trace show                                   the newest one in the folder of acp trace",
            "  acp trace show --follow --method 'session/*'     live events",
            "  acp trace show --html trace.html x.trace.jsonl   as a page for a browser",
            "  acp trace show --flow 7 --changes                one message of a chain, and what each hop has changed",
            "  acp trace show --times                           the time of each turn, by component",
            "  acp trace show --raw --from agent x.trace.jsonl | jq .",
            "",
            "Exit codes:",
            "    0  the trace was shown, even if its last line is incomplete",
            "    1  part of it cannot be read, or it is not a trace",
            "    2  wrong command line, or a missing file",
            "    6  standard output or the page could not be written",
            "  141  standard output was closed by its reader"
        })
public final class ShowCommand implements Callable<Integer> {
    private final Streams streams;
    private final AgentChoice rest;

    @Parameters(
            paramLabel = "FILE",
            arity = "0..*",
            description = "The trace; - means standard input. Default: the newest trace in the default folder.")
    private List<String> files = new ArrayList<>();

    @Mixin
    private final TraceFilter filter = new TraceFilter();

    @Option(names = "--follow", description = "Continue to show new events, until Ctrl-C.")
    private boolean follow;

    @Option(names = "--changes", description = "In the trace of a chain, show below each hop what it has changed.")
    private boolean changes;

    @Option(
            names = "--times",
            description =
                    "Print the time of each turn, by component, the slowest first. A filter selects the turns, of "
                            + "which it leaves the prompt.")
    private boolean times;

    @Option(names = "--raw", description = "Print the messages themselves, one per line.")
    private boolean raw;

    @Option(
            names = "--json",
            description = "Print the selected lines of the trace, so that the output is a trace again.")
    private boolean json;

    @Option(
            names = "--html",
            paramLabel = "PAGE",
            description = "Write a self-contained HTML page to this file, and print its path. Only an earlier page is "
                    + "replaced.")
    private @Nullable String html;

    /** @param rest the arguments after {@code --}: more files */
    public ShowCommand(Streams streams, AgentChoice rest) {
        this.streams = streams;
        this.rest = rest;
    }

    @Override
    public Integer call() throws InterruptedException {
        filter.check();
        files.addAll(rest.command());
        if ((raw ? 1 : 0) + (json ? 1 : 0) + (times ? 1 : 0) + (html == null ? 0 : 1) > 1) {
            throw new UsageException("--raw, --json, --times and --html cannot be combined");
        }
        if (changes && (raw || json || times)) {
            throw new UsageException("--changes cannot be combined with --raw, --json and --times");
        }
        if (follow && times) {
            throw new UsageException("--follow cannot be combined with --times");
        }
        if (follow && (html != null || files.size() > 1)) {
            throw new UsageException(
                    html == null ? "only one file can be followed" : "--follow cannot be combined with --html");
        }
        Thread reader = Thread.currentThread();
        streams.out().onFailure(reader::interrupt);
        try (TraceInput input = TraceInput.open(files, follow, streams.in())) {
            return html == null ? show(input) : page(input, html);
        } catch (IOException e) {
            throw new UsageException(IoProblem.text(e));
        } catch (InterruptedException e) {
            if (streams.out().failure() != null) {
                return ExitCode.OUTPUT_LOST.number(); // reported by the caller, with the right exit code
            }
            throw e;
        }
    }

    private int show(TraceInput input) throws IOException, InterruptedException {
        TraceView view = json || raw ? new Lines() : new Timeline();
        if (times) {
            view = new Times();
        }
        return walk(input, view);
    }

    private int page(TraceInput input, String to) throws IOException, InterruptedException {
        TracePage page;
        try {
            page = TracePage.create(to, streams.out().bytes());
        } catch (IOException e) {
            throw new UsageException("the page cannot be written: " + IoProblem.text(e));
        }
        try (page) {
            page.start();
            int code = walk(input, page);
            page.finish();
            if (!to.equals("-")) {
                streams.out().println(page.file());
            }
            return code;
        } catch (TracePage.UnwrittenException e) {
            Failure failure = new Failure(
                    "the page cannot be written: " + IoProblem.text(e.cause()), List.of(), ExitCode.OUTPUT_LOST);
            failure.tell(streams);
            return ExitCode.OUTPUT_LOST.number();
        }
    }

    /** Shows a trace; its first item decides whether it is one. */
    private int walk(TraceInput input, TraceView view) throws IOException, InterruptedException {
        TraceItem first = input.next();
        String name = SafeText.line(input.name());
        if (first == null) {
            return refused("not a trace, the file is empty: " + name);
        }
        if (first instanceof TraceItem.Broken broken) {
            return refused("not a trace: " + name, SafeText.line("line " + broken.line() + ": " + broken.why()));
        }
        Walk walk = new Walk(view);
        for (TraceItem item = first; item != null; item = input.next()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            walk.take(item);
        }
        return walk.end();
    }

    private int refused(String message, String... details) {
        Failure.agent(message, details).tell(streams);
        return ExitCode.AGENT_FAILED.number();
    }

    /** Passes the selected steps of a trace to a view, and counts the rest. */
    private final class Walk {
        private final TraceView view;
        private final TraceSteps steps = new TraceSteps();
        private final TraceTotals totals = new TraceTotals();

        Walk(TraceView view) {
            this.view = view;
        }

        void take(TraceItem item) {
            switch (item) {
                case TraceItem.Begin begin -> view.begin(begin.header());
                case TraceItem.Event event -> take(steps.next(event.event()));
                case TraceItem.Broken broken -> {
                    if (!broken.isTorn()) {
                        totals.addBroken();
                    }
                    view.broken(broken);
                }
            }
        }

        private void take(TraceStep step) {
            view.passing(step);
            boolean isWanted = filter.takes(step);
            totals.add(step, isWanted);
            if (isWanted) {
                view.step(step);
            }
        }

        int end() {
            view.end(totals, steps.unanswered());
            return totals.broken() == 0 ? 0 : ExitCode.AGENT_FAILED.number();
        }
    }

    /** The timeline, on standard output. */
    private final class Timeline implements TraceView {
        private final TraceLanes lanes = new TraceLanes();
        private final TimelineText text = new TimelineText(streams.out()::print, streams.outDisplay(), lanes, changes);

        @Override
        public void passing(TraceStep step) {
            if (step.event().type() == TraceEvent.Type.CHAIN) {
                lanes.add(step.event());
            }
        }

        @Override
        public void begin(TraceHeader header) {
            text.begin(header);
        }

        @Override
        public void step(TraceStep step) {
            text.step(step);
        }

        @Override
        public void broken(TraceItem.Broken broken) {
            text.broken(broken);
        }

        @Override
        public void end(TraceTotals totals, List<TraceStep> unanswered) {
            text.end(totals, unanswered);
        }
    }

    /** The time of each turn by component, on standard output. */
    private final class Times implements TraceView {
        private final TurnTimes turns = new TurnTimes();
        private final TimelineText text =
                new TimelineText(streams.out()::print, streams.outDisplay(), new TraceLanes(), false);

        @Override
        public void begin(TraceHeader header) {
            text.begin(header);
        }

        @Override
        public void passing(TraceStep step) {
            turns.add(step, filter.takes(step));
        }

        @Override
        public void step(TraceStep step) {}

        @Override
        public void broken(TraceItem.Broken broken) {
            text.broken(broken);
        }

        @Override
        public void end(TraceTotals totals, List<TraceStep> unanswered) {
            text.table(turns.table());
        }
    }

    /** Messages or events as JSON, for other programs; unreadable lines are reported on standard error. */
    private final class Lines implements TraceView {
        @Override
        public void begin(TraceHeader header) {
            if (json) {
                streams.out().json(RawJson.encode(header, TraceHeader.CODEC).toString());
            }
        }

        @Override
        public void step(TraceStep step) {
            if (json) {
                streams.out().json(step.event().toString());
            } else if (step.event().type().isMessage()) {
                message(step.event().message().toString());
            }
        }

        /** Another program gets the exact bytes; a terminal would interpret control characters. */
        private void message(String message) {
            if (streams.outDisplay().width() > 0) {
                streams.out().json(message);
            } else {
                streams.out().bytes((message + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }

        @Override
        public void broken(TraceItem.Broken broken) {
            new TimelineText(streams.err()::print, streams.err().display(), new TraceLanes(), false).broken(broken);
        }

        @Override
        public void end(TraceTotals totals, List<TraceStep> unanswered) {}
    }
}
