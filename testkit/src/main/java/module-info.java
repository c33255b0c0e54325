import org.jspecify.annotations.NullMarked;

/** Tests of agents and clients. */
@NullMarked
module dev.acp4j.testkit {
    requires static org.jspecify;
    requires static com.google.errorprone.annotations;
    requires transitive dev.acp4j;
    requires static org.junit.jupiter.api;
    requires java.logging;

    exports dev.acp4j.testkit;
}
