package dev.acp4j.cli.command;

import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.process.Launch;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Creates the launch of an agent. */
public final class AgentLauncher {
    /** Set by the launcher script to its own path: started through it, the built-in agent has its start-up cache. */
    private static final String LAUNCHER = "acp.launcher";

    /** The name of the main class: it depends on all commands, so they cannot depend on it. */
    private static final String MAIN = "dev.acp4j.cli.Acp";

    private AgentLauncher() {}

    public static Launch launch(AgentChoice choice, SessionOptions options, Path cwd) {
        Launch launch = agent(choice, options);
        launch = isConducted(options) ? conducted(launch, choice, options, cwd) : launch.cwd(cwd);
        for (String variable : options.environment) {
            int equals = variable.indexOf('=');
            if (equals == 0) {
                throw new UsageException(
                        "expected --env NAME or --env NAME=VALUE, got --env " + SafeText.line(variable));
            }
            launch = equals < 0
                    ? launch.inherit(variable)
                    : launch.env(variable.substring(0, equals), variable.substring(equals + 1));
        }
        return launch;
    }

    private static Launch agent(AgentChoice choice, SessionOptions options) {
        String url = options.url;
        if (url == null) {
            return choice.isBuiltIn() ? acp("agent") : choice.launch();
        }
        if (choice.isGiven()) {
            throw new UsageException(
                    "--url cannot be combined with the name of an agent or a command after --" + choice.hint());
        }
        // It is no agent, and its token, proxies and servers are named by variables.
        return acp("connect", url).inheritAll();
    }

    /** Whether proxies stand before the agent. */
    static boolean isConducted(SessionOptions options) {
        return options.chain != null || !options.proxies.isEmpty();
    }

    /** Programs are looked up from here, as an agent without proxies is, and run in their folder. */
    private static Launch conducted(Launch agent, AgentChoice choice, SessionOptions options, Path cwd) {
        List<String> words =
                new ArrayList<>(List.of("conduct", "--cwd", cwd.toAbsolutePath().toString()));
        if (options.chain != null) {
            if (!options.proxies.isEmpty()) {
                throw new UsageException("-p and --chain cannot be combined: add the proxy to the file");
            }
            words.addAll(List.of("--chain", options.chain.toAbsolutePath().toString()));
        }
        for (String proxy : options.proxies) {
            words.addAll(List.of("-p", proxy));
        }
        if (options.noBridge) {
            words.add("--no-bridge");
        }
        String named = choice.named();
        if (named != null) {
            words.addAll(List.of("--agent", named));
        } else if (options.chain == null || options.url != null || !choice.isBuiltIn()) {
            words.add("--");
            words.add(agent.command());
            words.addAll(agent.arguments());
        }
        // It starts the agent, so it needs what the values that are set for the agent are taken from.
        Launch conductor = acp(words.toArray(String[]::new)).inherit(choice.sourceVariables());
        return options.url == null ? conductor : conductor.inheritAll();
    }

    /** Returns a launch whose program, if it is named by a path, is found from a folder. */
    public static Launch in(Path folder, Launch launch) {
        String command = launch.command();
        if (!command.contains("/") && !command.contains(folder.getFileSystem().getSeparator())) {
            return launch;
        }
        Launch resolved = Launch.of(folder.resolve(command).normalize().toString(), launch.arguments());
        for (Map.Entry<String, String> variable : launch.declared().entrySet()) {
            resolved = resolved.env(variable.getKey(), variable.getValue());
        }
        return resolved;
    }

    /** Returns the launch of a command of this program. */
    public static Launch acp(String... words) {
        String launcher = System.getProperty(LAUNCHER);
        if (launcher != null && !launcher.isEmpty()) {
            return Launch.of(launcher, words).inherit("ACP_*", "JAVA_HOME");
        }
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return Launch.of(
                        java,
                        "-XX:+UseSerialGC",
                        "-Xms24m",
                        "-Xmn8m",
                        "-XX:PretenureSizeThreshold=128k",
                        "-XX:MaxHeapFreeRatio=50",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+DisplayVMOutputToStderr",
                        "-cp",
                        classPath(),
                        MAIN)
                .withArguments(words);
    }

    /** Returns the class path of this program for any folder: relative entries count from the current one. */
    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
