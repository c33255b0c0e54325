package dev.acp4j.examples;

import dev.acp4j.Client;
import dev.acp4j.Entry;
import dev.acp4j.Timeline;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.PlanEntryStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Draws a session from its timeline: first all of it, then what changed. */
final class Transcript {
    private long revision;
    private boolean ended;

    public static void main(String[] args) throws InterruptedException {
        var process = Launch.of(args[0], List.of(args).subList(1, args.length));
        try (var agent = Client.builder("transcript", "1.0").connect(process);
                var session = agent.newSession(Path.of("."))) {
            session.prompt("Go!");
            var transcript = new Transcript();
            while (!transcript.ended) {
                transcript.redraw(session.view().timeline());
            }
        }
    }

    private void redraw(Timeline timeline) throws InterruptedException {
        boolean hasChanged = timeline.awaitChange(revision, Duration.ofSeconds(1));
        if (!hasChanged) {
            return;
        }
        var changes = timeline.changesSince(revision);
        for (var change : changes.list()) {
            switch (change) {
                case Timeline.Added added -> draw(added.entry());
                case Timeline.Changed changed -> draw(changed.entry());
                case Timeline.Appended appended -> row(appended.number(), "… " + appended.text());
                case Timeline.Removed removed -> row(removed.number(), "");
                case Timeline.Dropped dropped -> row(dropped.number(), "and all before it: dropped");
            }
        }
        revision = changes.revision();
    }

    private void draw(Entry entry) {
        ended |= entry instanceof Entry.TurnEnd;
        row(
                entry.number(),
                switch (entry) {
                    case Entry.Message message -> message.author() + ": " + message.text();
                    case Entry.ToolCall call -> call.title() + ": " + call.status();
                    case Entry.Plan plan ->
                        "Plan: " + done(plan) + " of " + plan.entries().size() + " steps";
                    case Entry.Question question -> question.title() + " " + question.state();
                    case Entry.Notice notice -> notice.notice().title();
                    case Entry.Compaction compaction -> "Compaction: " + compaction.status();
                    case Entry.Terminal terminal -> "Terminal: " + terminal.output();
                    case Entry.Subagent subagent -> "Subagent: " + subagent.title();
                    case Entry.SessionMessage message -> "To " + message.recipient() + ": " + message.text();
                    case Entry.TurnEnd end -> "End: " + (end.failure() == null ? end.stopReason() : end.failure());
                });
    }

    private static long done(Entry.Plan plan) {
        return plan.entries().stream()
                .filter(entry -> entry.status().equals(PlanEntryStatus.COMPLETED))
                .count();
    }

    /** A screen would write over the row with this number. */
    private static void row(long number, String text) {
        System.out.println(number + " " + text);
    }
}
