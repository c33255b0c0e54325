package dev.acp4j.cli.command;

import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.cli.terminal.TerminalText;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** Asks the person at the terminal questions of yes and no; no answer is no. */
public final class Confirmation {
    private final Streams streams;
    private final BufferedReader in;

    public Confirmation(Streams streams) {
        this.streams = streams;
        this.in = new BufferedReader(new InputStreamReader(streams.in(), streams.charset()));
    }

    /** Returns whether the answer is yes. */
    public boolean ask(String question) {
        streams.err().print(TerminalText.of(question + " [y/N] "));
        try {
            String answer = in.readLine();
            return answer != null && answer.strip().equalsIgnoreCase("y");
        } catch (IOException e) {
            return false;
        }
    }
}
