package dev.acp4j.examples;

import dev.acp4j.Client;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionConfigOptionValue;
import java.nio.file.Path;
import java.util.List;

/** Lists the modes that an agent offers, and tries each. */
final class SwitchMode {
    public static void main(String[] args) throws InterruptedException {
        var process = Launch.of(args[0], List.of(args).subList(1, args.length));
        try (var agent = Client.builder("switch-mode", "1.0").connect(process);
                var session = agent.newSession(Path.of("."))) {
            var option = session.view()
                    .configOption(SessionConfigOptionCategory.MODE)
                    .orElseThrow();
            if (option instanceof SessionConfigOption.Select modes) {
                for (var mode : modes.options().options()) {
                    session.setConfigOption(modes.id(), SessionConfigOptionValue.of(mode.value()));
                    System.out.println(
                            mode.name() + ": " + session.prompt("Say hello").text());
                }
            }
        }
    }
}
