import org.jspecify.annotations.NullMarked;

/**
 * Safe services of a client for an agent: files inside the session's folders, terminals, answers to permission
 * requests.
 */
@NullMarked
module dev.acp4j.workspace {
    requires transitive dev.acp4j;
    requires io.github.javadiffutils;
    requires static org.jspecify;
    requires static com.google.errorprone.annotations;

    exports dev.acp4j.workspace;
}
