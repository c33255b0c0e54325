package dev.acp4j.cli.chat;

import dev.acp4j.cli.command.LoginMethod;
import dev.acp4j.cli.command.LoginVariables;
import dev.acp4j.cli.session.SessionOpener;
import dev.acp4j.cli.session.SessionRenderer;
import dev.acp4j.cli.terminal.Console;
import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.Input;
import dev.acp4j.cli.terminal.PlainConsole;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Wrap;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.SessionInfo;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jline.utils.AttributedString;
import org.jspecify.annotations.Nullable;

/** Asks the user of a chat how to log in, and which session to continue. */
final class OpeningDialog implements SessionOpener.Questions {
    /** More are not listed: {@code acp sessions} lists all, and {@code --resume ID} takes any. */
    private static final int MOST_SESSIONS = 20;

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT);

    private final SessionRenderer renderer;
    private final Console console;

    OpeningDialog(SessionRenderer renderer, Console console) {
        this.renderer = renderer;
        this.console = console;
    }

    @Override
    public @Nullable LoginMethod login(List<AuthMethod> methods) throws InterruptedException {
        List<LoginMethod> ours = new ArrayList<>();
        List<String> names = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (LoginMethod method : LoginMethod.of(methods)) {
            if (method.type() == LoginMethod.Type.AGENT || canAsk(method)) {
                ours.add(method);
                names.add(method.safeName());
            } else {
                others.add(method.safeId());
            }
        }
        if (ours.isEmpty()) {
            return null;
        }
        int chosen = choose("The agent requires a login" + more(others) + ":", names, "  Which way?", "none");
        return chosen < 0 ? null : ours.get(chosen);
    }

    /** Nothing that is typed can be hidden without a terminal. */
    private boolean canAsk(LoginMethod method) {
        return method.type() == LoginMethod.Type.ENVIRONMENT && !(console instanceof PlainConsole);
    }

    @Override
    public void note(String text) {
        renderer.note(text, Styles.QUIET);
    }

    @Override
    public String variable(LoginMethod.Variable variable) throws InterruptedException {
        if (console instanceof PlainConsole) {
            return LoginVariables.Questions.unattended(variable);
        }
        String prompt = "  " + LoginVariables.Questions.prompt(variable);
        Input answer = renderer.paused(screen -> variable.isSecret() ? console.askSecret(prompt) : console.ask(prompt));
        return switch (answer) {
            case Input.Line line -> line.text().strip();
            case Input.End end -> "";
            case Input.Interrupt key -> throw new InterruptedException("interrupted by the user");
        };
    }

    private static String more(List<String> others) {
        return others.isEmpty() ? "" : " (for " + String.join(", ", others) + " use 'acp login METHOD -- COMMAND')";
    }

    @Override
    public @Nullable SessionInfo session(List<SessionInfo> sessions) throws InterruptedException {
        if (console instanceof PlainConsole) {
            throw SessionOpener.Questions.idNeeded(sessions);
        }
        List<SessionInfo> latest = sessions.subList(0, Math.min(MOST_SESSIONS, sessions.size()));
        List<String> rows = new ArrayList<>();
        for (SessionInfo info : latest) {
            String title = info.title();
            rows.add(time(info) + "  "
                    + SafeText.line(title == null ? info.sessionId().value() : title));
        }
        int chosen = choose("Earlier sessions in this folder:", rows, "  Which one?", "a new one");
        return chosen < 0 ? null : latest.get(chosen);
    }

    private static String time(SessionInfo info) {
        Instant time = info.updatedInstant().orElse(null);
        return time == null ? " ".repeat(16) : TIME.format(time.atZone(ZoneId.systemDefault()));
    }

    /**
     * Returns the index of the chosen row; -1 for none of them.
     *
     * @param other what Enter alone chooses
     */
    private int choose(String title, List<String> rows, String question, String other) throws InterruptedException {
        return renderer.paused(screen -> {
            Display display = screen.display();
            screen.print(Wrap.lines(Styles.of(title, Styles.STRONG), display.widthAfter(0)));
            int number = 1;
            for (String row : rows) {
                AttributedString mark = Styles.plain("  " + number++ + "  ");
                screen.print(Wrap.cut(
                        Styles.join(mark, Styles.plain(row)),
                        display.widthAfter(0),
                        display.symbols().more()));
            }
            String numbers = rows.size() == 1 ? "1" : "1-" + rows.size();
            Input answer = console.ask(question + " (" + numbers + "; Enter for " + other + ") ");
            if (answer instanceof Input.Interrupt) {
                throw new InterruptedException("interrupted by the user");
            }
            for (int i = 0; i < rows.size(); i++) {
                if (answer instanceof Input.Line line && line.text().strip().equals(Integer.toString(i + 1))) {
                    return i;
                }
            }
            return -1;
        });
    }
}
