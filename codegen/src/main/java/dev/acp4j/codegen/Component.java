package dev.acp4j.codegen;

/**
 * A component of a record, which is a member of its object.
 *
 * @param name in Java
 * @param jsonName on the wire
 * @param shape the shape of its value; for a {@code Change}, of the value it may contain
 * @param primitive whether Java holds the value as a primitive
 * @param presence the meaning of an absent member
 * @param lenient whether an invalid value counts as absent
 * @param defaultTo the Java expression for the default; empty if there is none
 * @param defaultWritten whether a value equal to the default is written
 * @param here whether the version has the member; if not, the component must be absent to be written
 * @param mayBeNull whether the component of a required member may be null, because another version does not require it
 * @param addedByDraft whether a draft adds it to a stable object; a malformed value is then kept as an unknown member
 * @param unstable whether it is marked as following a draft
 * @param documentation its text in the record's Javadoc; may be empty
 */
record Component(
        String name,
        String jsonName,
        Shape shape,
        boolean primitive,
        Presence presence,
        boolean lenient,
        String defaultTo,
        boolean defaultWritten,
        boolean here,
        boolean mayBeNull,
        boolean addedByDraft,
        boolean unstable,
        String documentation) {

    /** The meaning of an absent member. */
    enum Presence {
        /** It is an error. */
        REQUIRED,
        /** The component is null. */
        NULLABLE,
        /** The component has its default. */
        DEFAULTED,
        /** The list or map is empty. */
        EMPTY,
        /** The existing value is kept. */
        CHANGE,
        /** There are no unknown members. */
        REST
    }

    /** Returns the expression for the value of an absent member, or of an invalid one if it is lenient. */
    String absent(Source source) {
        return switch (presence) {
            case NULLABLE -> "null";
            case DEFAULTED -> defaultTo;
            case CHANGE -> source.schema("Change") + ".keep()";
            case REST -> source.schema("Rest") + ".NONE";
            case EMPTY, REQUIRED ->
                isMap() ? source.type("java.util", "Map") + ".of()" : isList() ? source.list() + ".of()" : "null";
        };
    }

    boolean isRequired() {
        return presence == Presence.REQUIRED && here;
    }

    private Shape declaredShape() {
        return shape instanceof Shape.By by ? by.of() : shape;
    }

    boolean isList() {
        return declaredShape() instanceof Shape.ListOf;
    }

    boolean isMap() {
        return declaredShape() instanceof Shape.MapOf;
    }

    /** Returns a name for a local variable that does not hide any of these. */
    String local(String... taken) {
        for (String name : taken) {
            if (name.equals(this.name)) {
                return this.name + "Member";
            }
        }
        return name;
    }

    /** Returns the type of the component in the record, without {@code @Nullable}. */
    String type(Source source) {
        if (presence == Presence.CHANGE) {
            return source.schema("Change") + "<" + shape.type(source) + ">";
        }
        if (primitive && shape instanceof Shape.Scalar scalar) {
            return switch (scalar.kind()) {
                case BOOLEAN -> "boolean";
                case INT -> "int";
                case LONG -> "long";
                case DOUBLE -> "double";
                case STRING -> "String";
            };
        }
        return shape.type(source);
    }
}
