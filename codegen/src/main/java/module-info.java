import org.jspecify.annotations.NullMarked;

/** Writes the JSON codecs and builders of the protocol's records while they are compiled. */
@NullMarked
module dev.acp4j.codegen {
    requires java.compiler;
    requires static org.jspecify;

    provides javax.annotation.processing.Processor with
            dev.acp4j.codegen.CodecProcessor;
}
