package dev.acp4j.cli.elicitation;

import dev.acp4j.ElicitationQuestion;
import dev.acp4j.cli.terminal.Console;
import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.Input;
import dev.acp4j.cli.terminal.Screen;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.schema.CreateElicitationResponse;
import java.util.ArrayList;
import java.util.List;
import org.jline.utils.AttributedString;

/** Shows the user the address of a page, and opens it if the user agrees. Enter alone declines. */
final class PageDialog {
    private static final String OPEN = "Open it in the browser";
    private static final String VISIT = "I open it myself";
    private static final String DECLINE = "Decline";

    private final Console console;
    private final Screen screen;
    private final WebBrowser browser;

    PageDialog(Console console, Screen screen, WebBrowser browser) {
        this.console = console;
        this.screen = screen;
        this.browser = browser;
    }

    CreateElicitationResponse ask(ElicitationQuestion question, PageAddress address) throws InterruptedException {
        List<String> choices = browser.isThere() ? List.of(OPEN, VISIT, DECLINE) : List.of(VISIT, DECLINE);
        screen.print(shown(address, choices, screen.display()));
        while (true) {
            String numbers = "1-" + choices.size() + "; Enter for " + choices.size();
            switch (console.ask("  Which one? (" + numbers + "; Ctrl-C cancels) ")) {
                case Input.Interrupt interrupt -> {
                    return question.cancel();
                }
                case Input.End end -> {
                    return question.cancel();
                }
                case Input.Line line -> {
                    String typed = line.text().strip();
                    int index = typed.isEmpty() ? choices.size() : typed.matches("[1-3]") ? Integer.parseInt(typed) : 0;
                    if (index >= 1 && index <= choices.size()) {
                        return decided(choices.get(index - 1), question, address);
                    }
                    screen.print(Styles.of("  Please give a number from 1 to " + choices.size() + ".", Styles.BUSY));
                }
            }
        }
    }

    private CreateElicitationResponse decided(String choice, ElicitationQuestion question, PageAddress address) {
        if (choice.equals(DECLINE)) {
            return question.decline();
        }
        if (choice.equals(OPEN) && !browser.open(address.text())) {
            screen.print(ElicitationDialog.warning(
                    "The browser cannot be started. Open the address yourself.", screen.display()));
        }
        return question.accept();
    }

    private static List<AttributedString> shown(PageAddress address, List<String> choices, Display display) {
        List<AttributedString> lines = new ArrayList<>();
        lines.add(AttributedString.EMPTY);
        int end = address.hostAt() + address.host().length();
        // In one piece, however long: only so can it be copied.
        lines.add(Styles.join(
                Styles.plain("  " + address.text().substring(0, address.hostAt())),
                Styles.of(address.text().substring(address.hostAt(), end), Styles.STRONG),
                Styles.plain(address.text().substring(end))));
        lines.add(Styles.join(Styles.of("  host: ", Styles.QUIET), Styles.of(address.host(), Styles.STRONG)));
        for (String warning : address.warnings()) {
            lines.addAll(ElicitationDialog.warning(warning, display));
        }
        lines.add(AttributedString.EMPTY);
        int number = 1;
        for (String choice : choices) {
            lines.add(Styles.join(Styles.of("  " + number++ + "  ", Styles.STRONG), Styles.plain(choice)));
        }
        return lines;
    }
}
