package dev.acp4j.cli;

import org.jline.utils.ScreenTerminal;

/** What is on the screen of a terminal. */
public final class Shown {
    private Shown() {}

    public static String on(ScreenTerminal terminal) {
        StringBuilder text = new StringBuilder();
        for (String line : terminal.toString().split("\n", -1)) {
            text.append(line.stripTrailing()).append('\n');
        }
        return text.toString().stripTrailing() + "\n";
    }
}
