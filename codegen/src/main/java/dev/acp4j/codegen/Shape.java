package dev.acp4j.codegen;

import org.jspecify.annotations.Nullable;

/** The shape of a member's value, and its codec. */
sealed interface Shape {
    /** Returns the Java type; boxed if it is primitive. */
    String type(Source source);

    /** Returns the expression that gives the codec. */
    String codec(Source source);

    /** Returns the expression that gives the codec for writing only, where leniency does not matter. */
    default String writingCodec(Source source) {
        return codec(source);
    }

    /** A string, boolean or number. */
    record Scalar(Kind kind, @Nullable Bounds bounds) implements Shape {
        @Override
        public String type(Source source) {
            return kind.boxed;
        }

        @Override
        public String codec(Source source) {
            String codec = source.support(kind.codec);
            return bounds == null ? codec + ".INSTANCE" : codec + ".between(" + bounds.min + "L, " + bounds.max + "L)";
        }
    }

    /**
     * A type with a codec of its own.
     *
     * @param codec the codec; null if it is a constant of the type
     */
    record Coded(TypeName names, @Nullable CodecName codec) implements Shape {
        @Override
        public String type(Source source) {
            return source.type(names);
        }

        @Override
        public String codec(Source source) {
            return codec == null ? source.type(names) + ".CODEC" : codec.in(source);
        }
    }

    /**
     * A type of a package whose codecs one class gives.
     *
     * @param second whether its codec is the one for version 2
     */
    record Given(TypeName names, boolean second) implements Shape {
        @Override
        public String type(Source source) {
            return source.type(names);
        }

        @Override
        public String codec(Source source) {
            String version = second ? source.schema("Version") + ".V2" : "";
            return source.type(names.codecs()) + "." + names.codecMethod() + "(" + version + ")";
        }
    }

    /**
     * A value with a hand-written codec.
     *
     * @param of its Java type
     */
    record By(Shape of, String codecClass) implements Shape {
        @Override
        public String type(Source source) {
            return of.type(source);
        }

        @Override
        public String codec(Source source) {
            return codecClass + ".INSTANCE";
        }
    }

    /** An array. */
    record ListOf(Shape items, boolean skipsInvalid) implements Shape {
        @Override
        public String type(Source source) {
            return source.list() + "<" + items.type(source) + ">";
        }

        @Override
        public String codec(Source source) {
            String factory = skipsInvalid ? ".skippingInvalid(" : ".of(";
            return source.support("ListCodec") + factory + items.codec(source) + ")";
        }

        @Override
        public String writingCodec(Source source) {
            return source.support("ListCodec") + ".of(" + items.writingCodec(source) + ")";
        }
    }

    /** An object with arbitrary member names. */
    record MapOf(Shape values) implements Shape {
        @Override
        public String type(Source source) {
            return source.type("java.util", "Map") + "<String, " + values.type(source) + ">";
        }

        @Override
        public String codec(Source source) {
            return source.support("MapCodec") + ".of(" + values.codec(source) + ")";
        }
    }

    /**
     * The minimum and the maximum.
     *
     * @param inOneVersion whether another version has other bounds, so that the constructor of the record cannot check
     *     them and its codec must
     */
    record Bounds(long min, long max, boolean inOneVersion) {}

    /** The scalars, and their names in the reader and the writer. */
    enum Kind {
        STRING("String", "StringCodec", "string", "string"),
        BOOLEAN("Boolean", "BooleanCodec", "bool", "bool"),
        INT("Integer", "IntegerCodec", "int32", "int64"),
        LONG("Long", "LongCodec", "int64", "int64"),
        DOUBLE("Double", "DoubleCodec", "number", "number");

        final String boxed;
        final String codec;
        final String read;
        final String write;

        Kind(String boxed, String codec, String read, String write) {
            this.boxed = boxed;
            this.codec = codec;
            this.read = read;
            this.write = write;
        }

        boolean isInteger() {
            return this == INT || this == LONG;
        }
    }
}
