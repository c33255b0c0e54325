import org.jspecify.annotations.NullMarked;

/** Generates the JSON codecs and builders of the protocol's records at compile time. */
@NullMarked
module dev.acp4j.codegen {
    requires java.compiler;
    requires static org.jspecify;

    provides javax.annotation.processing.Processor with
            dev.acp4j.codegen.CodecProcessor;
}
