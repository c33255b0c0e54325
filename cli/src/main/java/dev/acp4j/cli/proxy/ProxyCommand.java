package dev.acp4j.cli.proxy;

import dev.acp4j.Stdio;
import dev.acp4j.cli.agent.AgentCommand;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.rpc.ConnectionClosedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code acp proxy}: a ready-made proxy as a program. */
@Command(
        name = "proxy",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = {
            "acp proxy",
            "       acp proxy NAME [OPTION=VALUE]...",
            "       acp proxy trust [--sha256 DIGEST]... FILE..."
        },
        description = {
            "Lists the ready-made proxies, or serves one to a conductor.",
            "",
            "It reads and writes the protocol, one JSON message per line, under acp conduct or another conductor. "
                    + "'acp conduct -p NAME:OPTION=VALUE' has the same proxy without a process."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp conduct -p context: -p 'policy:allow=read,search deny=delete' -- gemini --acp",
            "  other-conductor 'acp proxy log file=talk.jsonl' 'gemini --acp'",
            "",
            "docs/proxies.md describes proxies.",
            "",
            "Exit codes:",
            "    0  the conductor has closed the connection",
            "    1  standard input could not be read, or another error ended the connection",
            "    2  wrong command line, or a file that cannot be used",
            "    6  standard output could not be written"
        })
public final class ProxyCommand implements Callable<Integer> {
    private final Streams streams;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "NAME",
            description = "The proxy; without it, all are listed.")
    private @Nullable String name;

    @Parameters(index = "1..*", paramLabel = "OPTION=VALUE", description = "Its options.")
    private List<String> options = List.of();

    public ProxyCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws Exception {
        if (name == null) {
            for (ReadyProxy proxy : ReadyProxy.values()) {
                proxy.description().forEach(streams.out()::println);
            }
            return ExitCode.END_OF_TURN.number();
        }
        List<AutoCloseable> opened = new ArrayList<>();
        try {
            ReadyProxy.named(name)
                    .open(options, sentence -> streams.err().println("acp: " + SafeText.line(sentence)), opened::add)
                    .serve(Stdio.system());
            return ExitCode.END_OF_TURN.number();
        } catch (ConnectionClosedException e) {
            return AgentCommand.ended(e, streams).number();
        } finally {
            ReadyProxy.close(opened);
        }
    }
}
