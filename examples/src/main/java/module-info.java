import org.jspecify.annotations.NullMarked;

/** Programs of one idea and one file each. */
@NullMarked
module dev.acp4j.examples {
    requires static jakarta.servlet;
    requires static org.jspecify;
    requires dev.acp4j;
    requires dev.acp4j.http;
    requires dev.acp4j.lsp;
    requires dev.acp4j.mcp;
    requires dev.acp4j.nes;
    requires dev.acp4j.proxy;
    requires dev.acp4j.registry;
    requires dev.acp4j.testkit;
    requires dev.acp4j.workspace;
    requires java.logging;

    // It makes the records of tools.
    opens dev.acp4j.examples to
            dev.acp4j.mcp;
}
