package dev.acp4j.codegen;

/**
 * A codec in generated code: a constant of the class that reads and writes the type, maybe among others.
 *
 * @param holder the class
 * @param field the constant
 */
record CodecName(TypeName holder, String field) {
    /** Returns the expression that gives the codec. */
    String in(Source source) {
        return source.type(holder) + "." + field;
    }

    /** Returns the expression that gives one of two codecs, in a codec for both versions. */
    static String either(String first, String second) {
        return first.equals(second) ? first : "second ? " + second + " : " + first;
    }

    /** Returns a call of one of two codecs. */
    static String call(String first, String second, String call) {
        return (first.equals(second) ? first : "(" + either(first, second) + ")") + call;
    }
}
