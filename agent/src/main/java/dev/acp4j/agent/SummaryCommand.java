package dev.acp4j.agent;

import dev.acp4j.schema.ToolKind;
import java.io.IOException;
import java.util.List;

/** {@code /summary}: what the workspace is, in figures. */
final class SummaryCommand implements Command {
    @Override
    public String name() {
        return "summary";
    }

    @Override
    public String description() {
        return "Sum up the workspace: languages, sizes, build tool, tests, notes left in the code; or only the notes";
    }

    @Override
    public String hint() {
        return "notes";
    }

    @Override
    public void run(Work work, String arguments) throws InterruptedException, IOException {
        boolean onlyNotes = arguments.equals("notes");
        if (!onlyNotes && !arguments.isEmpty()) {
            throw new UsageException("it sums up everything, or the notes");
        }
        Step step = work.step("Sum up the workspace", ToolKind.READ, new Facts().json());
        step.start();
        WorkspaceSummary summary = WorkspaceSummary.of(work.workspace().files());
        Facts output = new Facts().put("files", summary.listing().files().size());
        output.put("testFiles", summary.testFiles()).put("notes", summary.noteCount());
        output.putAll(
                "languages",
                summary.languages().stream().map(SummaryCommand::facts).toList());
        step.output(output.json());
        step.show(Markdown.count(summary.listing().files().size(), "file", "files"));
        step.complete();
        if (summary.listing().files().isEmpty()) {
            work.say(work.workspace().whyEmpty() + "\n");
            return;
        }
        for (String piece : onlyNotes ? List.of(SummaryText.allNotes(summary)) : SummaryText.of(summary)) {
            work.say(piece);
        }
    }

    private static Facts facts(WorkspaceSummary.LanguageShare share) {
        return new Facts()
                .put("language", share.language().name())
                .put("files", share.files())
                .put("lines", share.lines())
                .put("bytes", share.bytes());
    }
}
