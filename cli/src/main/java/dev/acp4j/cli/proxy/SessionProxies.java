package dev.acp4j.cli.proxy;

import dev.acp4j.cli.command.StateFolder;
import dev.acp4j.cli.command.TrustedFiles;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.mcp.McpConfig;
import dev.acp4j.process.Launch;
import dev.acp4j.proxies.AddedMcpServers;
import dev.acp4j.proxies.CommandFiles;
import dev.acp4j.proxies.Hooks;
import dev.acp4j.proxies.PromptQueue;
import dev.acp4j.proxies.RecordedSessions;
import dev.acp4j.proxies.SkillFiles;
import dev.acp4j.proxies.Watchdog;
import dev.acp4j.proxy.Proxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Function;

/** Makes the proxies that add servers, record, watch, queue and extend sessions, of their options. */
final class SessionProxies {
    private SessionProxies() {}

    static Proxy record(ProxyOptions options, Consumer<String> onNotice) {
        Path folder = options.text("folder") == null
                ? StateFolder.path().resolve("records")
                : options.file("folder").toAbsolutePath();
        RecordedSessions.Builder builder = RecordedSessions.builder(folder).onNotice(onNotice);
        return options.isSecond("new-sessions", "no", "yes")
                ? builder.newSessions().build()
                : builder.build();
    }

    static Proxy watchdog(ProxyOptions options, Consumer<String> onNotice, Runnable onHangingAgent) {
        Watchdog.Builder builder = Watchdog.builder().onNotice(onNotice).onStuck(session -> onHangingAgent.run());
        boolean isAny = set(options, "silence", builder::silence);
        isAny |= set(options, "first", builder::firstSign);
        isAny |= set(options, "turn", builder::turn);
        isAny |= set(options, "settle", builder::settle);
        isAny |= set(options, "setup", builder::setup);
        if (!isAny) {
            throw options.wrong("needs a time: silence=TIME, first=TIME, turn=TIME, settle=TIME or setup=TIME");
        }
        return options.isSecond("on-silence", "notice", "cancel")
                ? builder.cancelSilent().build()
                : builder.build();
    }

    private static boolean set(ProxyOptions options, String name, Function<Duration, Watchdog.Builder> to) {
        Duration time = options.time(name);
        if (time != null) {
            Watchdog.Builder unused = to.apply(time);
        }
        return time != null;
    }

    static Proxy mcp(ProxyOptions options, Consumer<String> onNotice) throws IOException {
        Path file = options.file("config");
        // What is wrong with it now is said before anything is started.
        McpConfig unused = McpConfig.read(file);
        return AddedMcpServers.builder(() -> trusted(file).servers())
                .in(Arrays.stream(options.list("in"))
                        .map(folder -> Path.of(folder).toAbsolutePath())
                        .toArray(Path[]::new))
                .onNotice(onNotice)
                .build();
    }

    /** Reads a file of MCP servers. One of a project may be another one since the last time. */
    private static McpConfig trusted(Path file) throws IOException {
        String text = Files.readString(file);
        String name = SafeText.line(file.toAbsolutePath().toString());
        if (TrustedFiles.isOfProject(file) && !TrustedFiles.ofUser().isTrusted(file, text)) {
            throw new IOException(name + " is a file of a project that you do not trust as it is. Look at it and trust"
                    + " it with: acp proxy trust " + name + " (without a terminal: acp proxy trust --sha256 DIGEST "
                    + name + ")");
        }
        try {
            return McpConfig.parse(text, System.getenv());
        } catch (IllegalArgumentException e) {
            throw new IOException(name + ": " + e.getMessage(), e);
        }
    }

    static Proxy queue() {
        return PromptQueue.create();
    }

    static Proxy commands(ProxyOptions options, Consumer<String> onNotice) {
        CommandFiles.Builder builder = CommandFiles.builder()
                .trust(TrustedFiles.ofUser()::isTrusted)
                .onNotice(sentence -> onNotice.accept(withNextStep(sentence)));
        addFolders(options, builder::folder, builder::ofProjects);
        return builder.build();
    }

    static Proxy skills(ProxyOptions options, Consumer<String> onNotice) {
        SkillFiles.Builder builder = SkillFiles.builder()
                .trust(TrustedFiles.ofUser()::isTrusted)
                .onNotice(sentence -> onNotice.accept(withNextStep(sentence)));
        addFolders(options, builder::folder, builder::ofProjects);
        return builder.build();
    }

    private static void addFolders(ProxyOptions options, Consumer<Path> ofUser, Consumer<String> ofProjects) {
        String[] folders = options.list("folders");
        String[] subfolders = options.list("project");
        if (folders.length + subfolders.length == 0) {
            throw options.wrong("needs folders=FOLDER,... or project=SUBFOLDER,...");
        }
        for (String folder : folders) {
            ofUser.accept(Path.of(folder));
        }
        for (String folder : subfolders) {
            ofProjects.accept(folder);
        }
    }

    static Proxy hooks(ProxyOptions options, Consumer<String> onNotice) {
        Hooks.Builder builder = Hooks.builder()
                .trust(TrustedFiles.ofUser()::isTrusted)
                .onNotice(sentence -> onNotice.accept(withNextStep(sentence)));
        boolean isAny = hook(options, "prompt", builder::onPrompt);
        isAny |= hook(options, "turn-end", builder::onTurnEnd);
        isAny |= hook(options, "tool-call", builder::onToolCall);
        isAny |= hook(options, "question", builder::onQuestion);
        if (!isAny) {
            throw options.wrong(
                    "needs a command: prompt=COMMAND, turn-end=COMMAND, tool-call=COMMAND or question=COMMAND");
        }
        Duration time = options.time("time");
        return time == null ? builder.build() : builder.limit(time).build();
    }

    private static boolean hook(ProxyOptions options, String name, Function<Launch, Hooks.Builder> to) {
        String command = options.text(name);
        if (command == null) {
            return false;
        }
        if (command.isBlank()) {
            throw options.wrong("expects a command: " + name + "=COMMAND");
        }
        Hooks.Builder unused = to.apply(Launch.parse(command));
        return true;
    }

    /** A file that is not trusted can be. */
    private static String withNextStep(String sentence) {
        return sentence.contains("trust") ? sentence + " Look at it and trust it with: acp proxy trust FILE" : sentence;
    }
}
