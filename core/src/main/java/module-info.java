import org.jspecify.annotations.NullMarked;

/** The Agent Client Protocol: agents, clients, sessions and turns; protocol types; JSON-RPC; JSON; stdio; traces. */
@NullMarked
module dev.acp4j {
    requires static org.jspecify;
    requires static com.google.errorprone.annotations;
    requires jdk.jfr;

    exports dev.acp4j;
    exports dev.acp4j.json;
    exports dev.acp4j.redaction;
    exports dev.acp4j.rpc;
    exports dev.acp4j.schema;
    exports dev.acp4j.schema.codec;
    exports dev.acp4j.trace;
}
