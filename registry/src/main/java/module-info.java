import org.jspecify.annotations.NullMarked;

/** Agents by name: the ACP registry, installations, and {@code acp.lock}. */
@NullMarked
module dev.acp4j.registry {
    requires transitive dev.acp4j;
    requires java.net.http;
    requires java.xml;
    requires org.apache.commons.compress;
    requires org.semver4j;
    requires static org.jspecify;
    requires static com.google.errorprone.annotations;

    exports dev.acp4j.registry;
}
