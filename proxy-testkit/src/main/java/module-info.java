import org.jspecify.annotations.NullMarked;

/** Tests of proxies. */
@NullMarked
module dev.acp4j.proxy.testkit {
    requires transitive dev.acp4j.proxy;
    requires transitive dev.acp4j.testkit;
    requires static org.jspecify;
    requires static com.google.errorprone.annotations;
    requires static org.junit.jupiter.api;

    exports dev.acp4j.proxy.testkit;
}
