package dev.acp4j.cli.conduct;

import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.process.Launch;
import java.util.Map;

/** The variables that a chain declares for its programs. */
final class Environment {
    private Environment() {}

    /**
     * Returns a chain whose programs have values for their variables.
     *
     * @throws UsageException when there is no such variable
     */
    static ChainFile filled(ChainFile chain) {
        Launch agent = chain.agent();
        return chain.components(chain.components().stream()
                        .map(component -> component.launch(filled(component.id(), component.launch())))
                        .toList())
                .agent(agent == null ? null : filled(ChainParts.AGENT, agent));
    }

    /**
     * Returns a launch with values for its variables: {@code $NAME} stands for the variable of this program, so that no
     * file holds a secret; {@code $$} for a dollar sign at the beginning.
     *
     * @param id the name of the component
     * @throws UsageException when there is no such variable
     */
    private static Launch filled(String id, Launch launch) {
        Launch filled = launch;
        for (Map.Entry<String, String> variable : launch.declared().entrySet()) {
            String value = variable.getValue();
            if (value.startsWith("$$")) {
                filled = filled.env(variable.getKey(), value.substring(1));
            } else if (value.startsWith("$") && value.length() > 1) {
                String here = System.getenv(value.substring(1));
                if (here == null) {
                    throw new UsageException(SafeText.line("the component " + id + " is to get "
                            + variable.getKey() + " from " + value + ", which is not set; a value that begins with a "
                            + "dollar sign is written with two"));
                }
                filled = filled.env(variable.getKey(), here);
            }
        }
        return filled;
    }
}
