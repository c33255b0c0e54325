import org.jspecify.annotations.NullMarked;

/** The {@code acp} command: chat with any agent, ask one question from a script, serve the built-in agent. */
@NullMarked
module dev.acp4j.cli {
    requires dev.acp4j;
    requires dev.acp4j.agent;
    requires dev.acp4j.http;
    requires dev.acp4j.lsp;
    requires dev.acp4j.mcp;
    requires dev.acp4j.proxies;
    requires dev.acp4j.proxy;
    requires dev.acp4j.registry;
    requires dev.acp4j.testkit;
    requires dev.acp4j.workspace;
    requires info.picocli;
    requires java.logging;
    requires java.net.http;
    requires io.github.javadiffutils;
    requires org.commonmark;
    requires org.commonmark.ext.gfm.tables;
    requires org.jline.reader;
    requires org.jline.terminal;
    requires org.snakeyaml.engine;
    requires static org.jspecify;
    requires static com.google.errorprone.annotations;

    // picocli sets the fields of the commands by reflection.
    opens dev.acp4j.cli to
            info.picocli;
    opens dev.acp4j.cli.agent to
            info.picocli;
    opens dev.acp4j.cli.agents to
            info.picocli;
    opens dev.acp4j.cli.chat to
            info.picocli;
    opens dev.acp4j.cli.command to
            info.picocli;
    opens dev.acp4j.cli.conduct to
            info.picocli;
    opens dev.acp4j.cli.connect to
            info.picocli;
    opens dev.acp4j.cli.doctor to
            info.picocli;
    opens dev.acp4j.cli.editors to
            info.picocli;
    opens dev.acp4j.cli.login to
            info.picocli;
    opens dev.acp4j.cli.prompt to
            info.picocli;
    opens dev.acp4j.cli.proxy to
            info.picocli;
    opens dev.acp4j.cli.serve to
            info.picocli;
    opens dev.acp4j.cli.sessions to
            info.picocli;
    opens dev.acp4j.cli.trace to
            info.picocli;
    opens dev.acp4j.cli.translate to
            info.picocli;
}
