package dev.acp4j.cli.command;

import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.process.Launch;
import dev.acp4j.redaction.Redaction;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The variables of the environment that an agent needs for a login. They go to the agent only: acp stores them nowhere,
 * and hides the secret ones in all that it shows and records.
 *
 * @param values by their names
 * @param secrets those of them that must not be shown or recorded, whatever their names are
 */
public record LoginVariables(Map<String, String> values, Map<String, String> secrets) {
    public static final LoginVariables NONE = new LoginVariables(Map.of(), Map.of());

    public LoginVariables {
        values = Map.copyOf(values);
        secrets = Map.copyOf(secrets);
    }

    /** Asks the user. */
    public interface Questions {
        /** Shows a line that helps to answer. */
        void note(String text);

        /**
         * Returns the value of a variable, which is empty if the user gives none. A secret one is not shown while it is
         * typed.
         *
         * @throws UsageException if there is no user to ask, and the variable is needed
         */
        String variable(LoginMethod.Variable variable) throws InterruptedException;

        /** Returns the value of a variable that nobody can be asked for. */
        static String unattended(LoginMethod.Variable variable) {
            if (variable.isOptional()) {
                return "";
            }
            String name = SafeText.line(variable.name());
            throw new UsageException(
                    name + " is missing, and there is no terminal to ask for it; set it and add --env " + name);
        }

        /** Returns how to ask for a variable. */
        static String prompt(LoginMethod.Variable variable) {
            String name = SafeText.line(variable.name());
            String label = SafeText.line(variable.label());
            return (label.equals(name) ? name : label + ", " + name) + (variable.isOptional() ? " (optional): " : ": ");
        }
    }

    /** Returns the variables of a method: those of the agent's environment, and what the user gives. */
    static LoginVariables ask(LoginMethod method, Launch agent, Questions questions) throws InterruptedException {
        List<LoginMethod.Variable> variables = method.variables();
        if (variables.isEmpty()) {
            throw new CommandFailedException(Failure.agent(
                    "the login method " + method.safeId() + " names no variables, so acp cannot ask for them",
                    "Use the agent's own command, and report this to its authors."));
        }
        String link = method.link();
        if (link != null) {
            questions.note(SafeText.line(method.name()) + ": " + SafeText.line(link));
        }
        Map<String, String> values = new LinkedHashMap<>();
        Map<String, String> secrets = new LinkedHashMap<>();
        for (LoginMethod.Variable variable : variables) {
            String name = SafeText.line(variable.name());
            String given = agent.environment().get(variable.name());
            if (given != null) {
                questions.note(name + " is taken from the environment.");
            }
            String value = given == null ? questions.variable(variable) : given;
            if (!value.isEmpty()) {
                values.put(variable.name(), value);
                if (variable.isSecret()) {
                    secrets.put(variable.name(), value);
                }
            } else if (!variable.isOptional()) {
                throw new UsageException("the login method " + method.safeId() + " needs " + name);
            }
        }
        return new LoginVariables(values, secrets);
    }

    /** Returns an agent with these variables. */
    Launch on(Launch agent) {
        Launch launch = agent;
        for (Map.Entry<String, String> variable : values.entrySet()) {
            launch = launch.env(variable.getKey(), variable.getValue());
        }
        return launch;
    }

    /** Returns what hides the secrets of an agent with these variables. */
    Redaction redaction(Launch agent) {
        Redaction redaction = agent.redaction();
        for (String secret : secrets.values()) {
            // The name says that the value is secret; the variable may be called anything.
            redaction = redaction.and(Map.of("SECRET", secret));
        }
        return redaction;
    }
}
