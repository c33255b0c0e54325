package dev.acp4j.cli.login;

import dev.acp4j.cli.command.LoginMethod;
import dev.acp4j.cli.command.LoginVariables;
import dev.acp4j.cli.terminal.Streams;
import java.io.Console;

/** Asks the user at the terminal for the value of a variable; a secret one is not shown while it is typed. */
record VariableQuestion(Streams streams) implements LoginVariables.Questions {
    @Override
    public void note(String text) {
        streams.err().println(text);
    }

    @Override
    public String variable(LoginMethod.Variable variable) {
        Console console = streams.hasPerson() ? System.console() : null;
        if (console == null) {
            return LoginVariables.Questions.unattended(variable);
        }
        String prompt = LoginVariables.Questions.prompt(variable);
        if (!variable.isSecret()) {
            String line = console.readLine("%s", prompt);
            return line == null ? "" : line.strip();
        }
        char[] typed = console.readPassword("%s", prompt);
        return typed == null ? "" : new String(typed).strip();
    }
}
