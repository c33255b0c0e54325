import org.jspecify.annotations.NullMarked;

/** Conversations in files. */
@NullMarked
module dev.acp4j.sessions {
    requires transitive dev.acp4j;
    requires static org.jspecify;
    requires static com.google.errorprone.annotations;

    exports dev.acp4j.sessions;
}
