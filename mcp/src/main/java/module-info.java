import org.jspecify.annotations.NullMarked;

/**
 * Servers of the Model Context Protocol (MCP): agents connect the servers of their sessions and call their tools;
 * clients read which servers a user has configured.
 */
@NullMarked
module dev.acp4j.mcp {
    requires transitive dev.acp4j;
    requires transitive dev.acp4j.proxy;
    requires json.schema;
    requires java.net.http;
    requires jdk.httpserver;
    requires static org.jspecify;
    requires static com.google.errorprone.annotations;

    exports dev.acp4j.mcp;
}
