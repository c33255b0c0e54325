import org.jspecify.annotations.NullMarked;

/** Ready-made proxies between clients and agents. */
@NullMarked
module dev.acp4j.proxies {
    requires transitive dev.acp4j.proxy;
    requires dev.acp4j.mcp;
    requires dev.acp4j.sessions;
    requires static org.jspecify;
    requires static com.google.errorprone.annotations;

    exports dev.acp4j.proxies;
}
