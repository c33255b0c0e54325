import org.jspecify.annotations.NullMarked;

/** The reference agent: searches, reads and changes a workspace and runs commands; offline, without a model. */
@NullMarked
module dev.acp4j.agent {
    requires transitive dev.acp4j;
    requires dev.acp4j.mcp;
    requires dev.acp4j.sessions;
    requires static org.jspecify;
    requires static com.google.errorprone.annotations;
    requires io.github.javadiffutils;
    requires java.logging;
    requires org.apache.lucene.analysis.common;
    requires org.apache.lucene.core;

    exports dev.acp4j.agent;
}
