import org.jspecify.annotations.NullMarked;

/** Language servers for agents: a proxy whose tools answer from servers that it starts. */
@NullMarked
module dev.acp4j.lsp {
    requires transitive dev.acp4j.proxy;
    requires dev.acp4j.mcp;
    requires static org.jspecify;
    requires static com.google.errorprone.annotations;

    exports dev.acp4j.lsp;
}
