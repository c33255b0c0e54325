import org.jspecify.annotations.NullMarked;

/**
 * Next edit suggestions, a draft of the Agent Client Protocol: agents that predict edits, and editors that ask them.
 */
@NullMarked
module dev.acp4j.nes {
    requires transitive dev.acp4j;
    requires static org.jspecify;
    requires static com.google.errorprone.annotations;

    exports dev.acp4j.nes;
}
