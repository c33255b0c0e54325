package dev.acp4j.cli.doctor;

import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Screen;
import dev.acp4j.cli.terminal.StandardStream;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Symbols;
import dev.acp4j.cli.terminal.Wrap;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;
import org.jspecify.annotations.Nullable;

/** Shows the findings of {@code acp doctor} as they are found. */
abstract sealed class DoctorOutput permits DoctorOutput.Text, DoctorOutput.Json {
    private final UnaryOperator<String> clean;
    private final Map<Finding.Level, Integer> counts = new EnumMap<>(Finding.Level.class);

    /** @param withoutSecrets hides secrets in the output of the agent */
    private DoctorOutput(UnaryOperator<String> withoutSecrets) {
        this.clean = text -> SafeText.line(withoutSecrets.apply(text));
    }

    /** Shows the beginning of a step, which may take long. */
    void begins(String step) {}

    /** Shows that the next steps are about a part of a chain. */
    void part(String name) {}

    /** Shows what the parts of a chain do to the capabilities. */
    abstract void changes(List<ChainDoctor.Changes> all);

    /** Shows what was found of a chain as a whole. */
    abstract void conclusion(@Nullable String component, String text);

    /** Shows the finding of a step. */
    void found(String step, Finding finding, long millis) {
        counts.merge(finding.level(), 1, Integer::sum);
        List<String> evidence = new ArrayList<>();
        for (String line : finding.evidence()) {
            evidence.add(clean.apply(line));
        }
        String cause = finding.cause();
        String next = finding.next();
        show(
                step,
                new Finding(
                        finding.level(),
                        clean.apply(finding.text()),
                        cause == null ? null : clean.apply(cause),
                        next == null ? null : clean.apply(next),
                        evidence,
                        finding.details()),
                millis);
    }

    /** Shows the summary; returns whether the agent has no problems. */
    boolean ends() {
        int problems = counts.getOrDefault(Finding.Level.PROBLEM, 0);
        summary(problems, counts.getOrDefault(Finding.Level.WARNING, 0));
        return problems == 0;
    }

    /** Shows that the examination ended early. */
    void isCutOff(ExitCode code) {
        cutOff(counts.getOrDefault(Finding.Level.PROBLEM, 0), counts.getOrDefault(Finding.Level.WARNING, 0), code);
    }

    abstract void cutOff(int problems, int warnings, ExitCode code);

    abstract void show(String step, Finding finding, long millis);

    abstract void summary(int problems, int warnings);

    /** For people. */
    static final class Text extends DoctorOutput {
        private static final int NAMES_WIDTH = 12;
        private static final int WIDEST_PART = 28;

        private final Screen screen;
        private final List<String> untried = new ArrayList<>();

        private final String subject;

        /** @param subject what is examined, for example {@code the agent} */
        Text(Screen screen, String subject, UnaryOperator<String> withoutSecrets) {
            super(withoutSecrets);
            this.screen = screen;
            this.subject = subject;
        }

        @Override
        void begins(String step) {
            screen.live(List.of(Styles.plain(screen.display().symbols().running() + " " + step)));
        }

        @Override
        void show(String step, Finding finding, long millis) {
            screen.clear();
            // One line reports that the rest was skipped.
            if (finding.level() == Finding.Level.SKIPPED && finding.text().startsWith("skipped")) {
                untried.add(step);
                return;
            }
            String name = step + " ".repeat(Math.max(1, NAMES_WIDTH - step.length()));
            print(
                    Styles.join(Styles.of(sign(finding.level()), style(finding.level())), Styles.plain(" " + name)),
                    finding.text());
            if (finding.cause() != null) {
                print(Styles.of("    cause: ", Styles.QUIET), finding.cause());
            }
            if (finding.next() != null) {
                print(Styles.of("    next:  ", Styles.QUIET), finding.next());
            }
            for (String line : finding.evidence()) {
                print(Styles.plain("    "), line);
            }
        }

        @Override
        void part(String name) {
            screen.clear();
            showUntried();
            screen.print(AttributedString.EMPTY);
            print(Styles.plain(""), name);
        }

        /** A row for each part: version 1 and 2 have capabilities of their own names. */
        @Override
        void changes(List<ChainDoctor.Changes> all) {
            part("What each part changes in the capabilities:");
            for (ChainDoctor.Changes one : all) {
                boolean isNothing = one.ofAgent().isNone() && one.ofClient().isNone();
                String name = "  " + one.part() + ", version " + one.version().number();
                String pad = " ".repeat(Math.max(1, WIDEST_PART - name.length()));
                String text = isNothing
                        ? "nothing"
                        : "agent's: " + one.ofAgent().text() + "; client's: "
                                + one.ofClient().text();
                print(Styles.plain(name + pad), text);
            }
        }

        @Override
        void conclusion(@Nullable String component, String text) {
            screen.print(AttributedString.EMPTY);
            print(Styles.plain(""), text);
        }

        private void print(AttributedString first, String text) {
            AttributedString others = Styles.plain(" ".repeat(first.columnLength()));
            screen.print(Wrap.lines(Styles.plain(text), screen.display().widthAfter(0), first, others));
        }

        private String sign(Finding.Level level) {
            Symbols symbols = screen.display().symbols();
            return switch (level) {
                case OK -> symbols.done();
                case WARNING -> symbols.note();
                case PROBLEM -> symbols.failed();
                case SKIPPED -> symbols.rule();
            };
        }

        private static AttributedStyle style(Finding.Level level) {
            return switch (level) {
                case OK -> Styles.GOOD;
                case WARNING -> Styles.BUSY;
                case PROBLEM -> Styles.BAD;
                case SKIPPED -> Styles.QUIET;
            };
        }

        @Override
        void cutOff(int problems, int warnings, ExitCode code) {
            screen.clear();
        }

        private void showUntried() {
            if (!untried.isEmpty()) {
                print(
                        Styles.plain(screen.display().symbols().rule() + " "),
                        "skipped, because of the above: " + String.join(", ", untried));
                untried.clear();
            }
        }

        @Override
        void summary(int problems, int warnings) {
            showUntried();
            List<String> found = new ArrayList<>();
            if (problems > 0) {
                found.add(Finding.count(problems, "problem"));
            }
            if (warnings > 0) {
                found.add(Finding.count(warnings, "warning"));
            }
            String all = found.isEmpty() ? "no problems found" : String.join(", ", found);
            String meaning = subject + (problems == 0 ? " works" : " does not work properly");
            screen.print(AttributedString.EMPTY);
            print(Styles.plain(""), all + ": " + meaning);
        }
    }

    /** For programs: one object per line, in UTF-8. */
    static final class Json extends DoctorOutput {
        private final StandardStream out;
        private @Nullable String part;

        Json(StandardStream out, UnaryOperator<String> withoutSecrets) {
            super(withoutSecrets);
            this.out = out;
        }

        @Override
        void show(String step, Finding finding, long millis) {
            out.json(DoctorJson.step(part, step, finding, millis));
        }

        @Override
        void part(String name) {
            part = name;
        }

        @Override
        void changes(List<ChainDoctor.Changes> all) {
            all.forEach(one -> out.json(DoctorJson.changes(one)));
        }

        @Override
        void conclusion(@Nullable String component, String text) {
            out.json(DoctorJson.conclusion(component, text));
        }

        @Override
        void summary(int problems, int warnings) {
            String status = problems > 0 ? "problem" : warnings > 0 ? "warning" : "ok";
            ExitCode code = problems == 0 ? ExitCode.END_OF_TURN : ExitCode.PROBLEMS_FOUND;
            out.json(DoctorJson.summary(status, problems, warnings, code));
        }

        @Override
        void cutOff(int problems, int warnings, ExitCode code) {
            out.json(DoctorJson.summary("interrupted", problems, warnings, code));
        }
    }
}
