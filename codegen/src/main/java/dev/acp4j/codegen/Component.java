package dev.acp4j.codegen;

/**
 * A component of a record, which is a member of its object.
 *
 * @param name in Java
 * @param jsonName on the wire
 * @param shape its value; of a {@code Change}, the value it may carry
 * @param primitive whether Java holds the value as a primitive
 * @param presence what it means that the member is absent
 * @param lenient whether a wrong value counts as absent
 * @param defaultTo the Java expression for the default; empty if there is none
 * @param defaultWritten whether a value equal to the default is written
 * @param here whether the version has the member; if not, the component must be absent to be written
 * @param mayBeNull whether the component of a required member may be null, because another version does not require it
 * @param unstable whether it is marked as following a draft
 * @param documentation what the record's Javadoc says of it; may be empty
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
        boolean unstable,
        String documentation) {

    /** What it means that a member is absent. */
    enum Presence {
        /** It is an error. */
        REQUIRED,
        /** The component is null. */
        NULLABLE,
        /** The component has its default. */
        DEFAULTED,
        /** The list or map is empty. */
        EMPTY,
        /** The value, known from before, stays as it is. */
        CHANGE,
        /** There is nothing besides the members that are known. */
        REST
    }

    /** Returns the expression for what an absent member, or a wrong one where that is forgiven, reads as. */
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

    /** Returns a name for a local variable that hides none of these. */
    String local(String... taken) {
        for (String name : taken) {
            if (name.equals(this.name)) {
                return this.name + "Member";
            }
        }
        return name;
    }

    /** Returns the type of the component as it stands in the record, less {@code @Nullable}. */
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
