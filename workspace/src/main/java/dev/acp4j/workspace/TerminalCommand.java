package dev.acp4j.workspace;

import dev.acp4j.process.Launch;
import dev.acp4j.schema.CreateTerminalRequest;
import dev.acp4j.schema.EnvVariable;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The process to start for a request to create a terminal. */
final class TerminalCommand {
    private static final boolean WINDOWS = File.separatorChar == '\\';
    private static final String SHELL_CHARACTERS = " \t\r\n|&;<>()$`\"'";

    private TerminalCommand() {}

    /** Returns the process to start, with standard output and error in one stream. */
    static ProcessBuilder of(CreateTerminalRequest request, Path folder, TerminalOptions options) {
        ProcessBuilder builder = new ProcessBuilder().directory(folder.toFile()).redirectErrorStream(true);
        Map<String, String> environment = builder.environment();
        Map<String, String> given = options.environment();
        environment.clear();
        environment.putAll(given == null ? Launch.of("agent").environment() : given);
        for (EnvVariable variable : request.env()) {
            set(environment, variable);
        }
        return builder.command(words(request, folder, options));
    }

    private static void set(Map<String, String> environment, EnvVariable variable) {
        try {
            environment.put(variable.name(), variable.value());
        } catch (IllegalArgumentException e) {
            // The message of the exception could contain the value.
            throw new WorkspaceException.InvalidArgument("the environment variable \"" + variable.name()
                    + "\" contains a character that is not allowed in names or values");
        }
    }

    /**
     * The protocol has the program in one member and its arguments in another, but many agents put a whole shell
     * command line into the first and expect the client to detect it. Any other interpretation of such a request fails.
     */
    private static List<String> words(CreateTerminalRequest request, Path folder, TerminalOptions options) {
        String command = request.command();
        if (command.isBlank()) {
            throw new WorkspaceException.InvalidArgument("the command is empty");
        }
        if (request.args().isEmpty() && isLine(command) && !isFile(command, folder)) {
            if (!options.shellLines()) {
                throw new WorkspaceException.NotStarted(
                        "there is no program \"" + command
                                + "\", and this client does not run commands by a shell: send the program and its"
                                + " arguments separately",
                        null);
            }
            return WINDOWS ? List.of("cmd.exe", "/d", "/s", "/c", command) : List.of("/bin/sh", "-c", command);
        }
        List<String> words = new ArrayList<>();
        words.add(command);
        words.addAll(request.args());
        return words;
    }

    private static boolean isLine(String command) {
        for (int i = 0; i < command.length(); i++) {
            if (SHELL_CHARACTERS.indexOf(command.charAt(i)) >= 0) {
                return true;
            }
        }
        return false;
    }

    private static boolean isFile(String command, Path folder) {
        try {
            return Files.isRegularFile(folder.resolve(command));
        } catch (InvalidPathException e) {
            return false;
        }
    }
}
