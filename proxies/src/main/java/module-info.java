import org.jspecify.annotations.NullMarked;

/** Ready-made proxies between clients and agents. */
@NullMarked
module dev.acp4j.proxies {
    requires transitive dev.acp4j.proxy;
    requires static org.jspecify;
    requires static com.google.errorprone.annotations;

    exports dev.acp4j.proxies;
}
