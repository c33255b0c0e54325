package dev.acp4j.cli.login;

import dev.acp4j.cli.command.LoginMethod;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import java.io.Console;

/** Asks the user for the value of a variable; a secret one is not shown while it is typed. */
final class VariableQuestion {
    private VariableQuestion() {}

    /** Returns the value, which is empty if the user gives none. */
    static String ask(LoginMethod.Variable variable, Streams streams) {
        String name = SafeText.line(variable.name());
        Console console = streams.hasPerson() ? System.console() : null;
        if (console == null) {
            if (variable.isOptional()) {
                return "";
            }
            throw new UsageException(
                    name + " is missing, and there is no terminal to ask for it; set it and add --env " + name);
        }
        String label = SafeText.line(variable.label());
        String prompt =
                (label.equals(name) ? name : label + ", " + name) + (variable.isOptional() ? " (optional): " : ": ");
        if (!variable.isSecret()) {
            String line = console.readLine("%s", prompt);
            return line == null ? "" : line.strip();
        }
        char[] typed = console.readPassword("%s", prompt);
        return typed == null ? "" : new String(typed).strip();
    }
}
