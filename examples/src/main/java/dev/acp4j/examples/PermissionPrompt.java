package dev.acp4j.examples;

import dev.acp4j.Client;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.RequestPermissionOutcome;
import java.nio.file.Path;
import java.util.List;
import java.util.Scanner;

/** Asks the person at the terminal, with the agent's own options. Anything but a number of one of them cancels. */
final class PermissionPrompt {
    public static void main(String[] args) throws InterruptedException {
        var process = Launch.of(args[0], List.of(args).subList(1, args.length));
        var client = Client.builder("permission-prompt", "1.0")
                .onPermission(PermissionPrompt::ask)
                .onWriteTextFile((session, request) -> System.out.println("would write " + request.path()));
        try (var agent = client.connect(process);
                var session = agent.newSession(Path.of("."))) {
            System.out.println(session.prompt("Hello!").text());
        }
    }

    private static RequestPermissionOutcome ask(PermissionQuestion request) {
        System.out.println(request.title() + "?");
        List<PermissionOption> options = request.options();
        for (int i = 0; i < options.size(); i++) {
            System.out.println("  " + (i + 1) + ") " + options.get(i).name());
        }
        var input = new Scanner(System.in, java.nio.charset.StandardCharsets.UTF_8);
        int choice = input.hasNextInt() ? input.nextInt() : 0;
        return choice >= 1 && choice <= options.size() ? request.choose(options.get(choice - 1)) : request.cancelled();
    }
}
