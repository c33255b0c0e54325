package dev.acp4j.cli.session;

import dev.acp4j.Entry;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.cli.terminal.Console;
import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.Input;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Screen;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Wrap;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.workspace.PermissionPrompt;
import dev.acp4j.workspace.PermissionScope;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;
import org.jspecify.annotations.Nullable;

/**
 * Asks the user for a permission: shows the requested operation and the agent's options with their original names.
 *
 * <p>Only the choice of an option can allow the operation. Enter alone rejects; Ctrl-C answers <em>cancelled</em> and
 * cancels the turn; the end of input rejects. An option that shares its id with one of another kind is answered
 * <em>cancelled</em>, regardless of its name.
 */
public final class PermissionDialog implements PermissionPrompt {
    /** How often a question is repeated after an invalid answer, so that a script cannot loop forever. */
    private static final int TRIES = 3;

    private final Console console;
    private final SessionRenderer renderer;
    private final ToolCallsText toolCalls;

    PermissionDialog(Console console, SessionRenderer renderer, ToolCallsText toolCalls) {
        this.console = console;
        this.renderer = renderer;
        this.toolCalls = toolCalls;
    }

    @Override
    public @Nullable PermissionOption choose(PermissionQuestion request) throws InterruptedException {
        return renderer.<@Nullable PermissionOption>paused(screen -> {
            Display display = screen.display();
            Entry.ToolCall call = request.toolCall();
            long number =
                    renderer.asks(Entry.Question.Kind.PERMISSION, request.title(), call == null ? null : call.id());
            screen.print(question(request, display));
            PermissionOption chosen = unmistakable(answer(request, screen), request, screen);
            screen.print(answered(chosen, display));
            renderer.answered(number);
            return chosen;
        });
    }

    private List<AttributedString> question(PermissionQuestion request, Display display) {
        List<AttributedString> lines = new ArrayList<>();
        lines.add(Styles.of(display.symbols().question() + " The agent asks for permission", Styles.STRONG));
        Entry.ToolCall call = request.toolCall();
        if (call == null || !call.title().equals(request.title())) {
            lines.addAll(about(request.title(), display));
        }
        if (request.description() != null) {
            lines.addAll(about(request.description(), display));
        }
        if (call != null) {
            lines.addAll(toolCalls.question(call, display));
        }
        lines.add(AttributedString.EMPTY);
        int number = 1;
        for (PermissionOption option : request.options()) {
            AttributedString mark = Styles.of("  " + number++ + "  ", Styles.STRONG);
            lines.addAll(Wrap.lines(name(option, request), display.widthAfter(0), mark, Styles.plain("     ")));
        }
        return lines;
    }

    private static List<AttributedString> about(String text, Display display) {
        AttributedString indent = Styles.plain("  ");
        return Wrap.lines(Styles.plain(SafeText.text(text)), display.widthAfter(0), indent, indent);
    }

    private @Nullable PermissionOption answer(PermissionQuestion request, Screen screen) throws InterruptedException {
        PermissionOption rejection = rejection(request);
        for (int i = 0; i < TRIES; i++) {
            switch (console.ask(prompt(request, rejection))) {
                case Input.Interrupt interrupt -> {
                    request.session().cancel();
                    return null;
                }
                case Input.End end -> {
                    return rejection;
                }
                case Input.Line line -> {
                    PermissionOption chosen = chosen(line.text().strip(), request.options(), rejection);
                    if (chosen != null) {
                        return chosen;
                    }
                    screen.print(Styles.of("  Please give the number of an option.", Styles.BUSY));
                }
            }
        }
        return rejection;
    }

    /** Returns null for an option whose id is ambiguous. */
    private static @Nullable PermissionOption unmistakable(
            @Nullable PermissionOption chosen, PermissionQuestion request, Screen screen) {
        if (chosen == null || request.choose(chosen) instanceof RequestPermissionOutcome.Selected) {
            return chosen;
        }
        screen.print(Styles.of("  This option is ambiguous: the agent uses the same id for another one.", Styles.BUSY));
        return null;
    }

    private static @Nullable PermissionOption rejection(PermissionQuestion request) {
        return request.option(PermissionOptionKind.REJECT_ONCE)
                .or(() -> request.option(PermissionOptionKind.REJECT_ALWAYS))
                .orElse(null);
    }

    private static String prompt(PermissionQuestion request, @Nullable PermissionOption rejection) {
        int options = request.options().size();
        String numbers = options == 1 ? "1" : "1-" + options;
        if (rejection == null) {
            return "  Which one? (" + numbers + "; Ctrl-C cancels the turn) ";
        }
        return "  Which one? (" + numbers + "; Enter for " + (request.options().indexOf(rejection) + 1) + ") ";
    }

    private static @Nullable PermissionOption chosen(
            String answer, List<PermissionOption> options, @Nullable PermissionOption rejection) {
        if (answer.isEmpty()) {
            return rejection;
        }
        for (int i = 0; i < options.size(); i++) {
            // Numbers only: with words an agent could redefine the meaning of "no".
            if (answer.equals(Integer.toString(i + 1))) {
                return options.get(i);
            }
        }
        return null;
    }

    private static AttributedString name(PermissionOption option, PermissionQuestion request) {
        String name = SafeText.line(option.name());
        String note = note(option, request);
        return saysItself(option, name)
                ? Styles.plain(name)
                : Styles.join(Styles.plain(name), Styles.of("  " + note, Styles.QUIET));
    }

    /** Returns whether the name of an option for this time says what it does: "Reject" needs no "reject once". */
    private static boolean saysItself(PermissionOption option, String name) {
        String does = option.kind().isAllow() ? "allow" : "reject";
        return PermissionOptionKind.known().contains(option.kind())
                && !option.kind().isAlways()
                && name.toLowerCase(Locale.ROOT).startsWith(does);
    }

    /**
     * Returns what an option does, whatever its name says; for <i>always</i>, what acp answers by itself from then on.
     */
    private static String note(PermissionOption option, PermissionQuestion request) {
        String kind = SafeText.line(option.kind().value()).replace('_', ' ');
        if (!PermissionOptionKind.known().contains(option.kind())) {
            return "unknown kind: " + kind;
        }
        if (!option.kind().isAlways()) {
            return kind;
        }
        return (option.kind().isAllow() ? "allow" : "reject")
                + PermissionScope.of(request, option.kind())
                        .map(scope -> ", and " + scope.text() + ", without asking")
                        .orElse("; what else this covers is up to the agent");
    }

    private static AttributedString answered(@Nullable PermissionOption chosen, Display display) {
        String text = chosen == null ? "cancelled" : SafeText.line(chosen.name());
        AttributedStyle style = chosen == null ? Styles.BUSY : chosen.kind().isAllow() ? Styles.GOOD : Styles.BAD;
        return Wrap.cut(
                Styles.of("  " + display.symbols().prompt() + " " + text, style),
                display.widthAfter(0),
                display.symbols().more());
    }
}
