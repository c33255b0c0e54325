import org.jspecify.annotations.NullMarked;

/** Proxies between clients and agents, and the conductor that runs chains of them. */
@NullMarked
module dev.acp4j.proxy {
    requires transitive dev.acp4j;
    requires jdk.jfr;
    requires static org.jspecify;
    requires static com.google.errorprone.annotations;

    exports dev.acp4j.proxy;
}
