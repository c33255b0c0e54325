package dev.acp4j.codegen;

import java.util.Map;
import java.util.TreeMap;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.RecordComponentElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;

/**
 * Determines the types whose codecs are one class: objects without members of their own, and strings. A class takes
 * more room in a jar than what these do, so a package that has one class to give its codecs has one for each of the
 * two.
 */
final class Sharing {
    private static final String EMPTY_OBJECTS = "EmptyObjectCodec";
    private static final String STRINGS = "StringValueCodec";

    private Sharing() {}

    /** Returns whether the type is an object with nothing but what any object may have. */
    static boolean isEmptyObject(TypeElement type) {
        return type.getKind() == ElementKind.RECORD
                && Marks.has(type, Marks.CODABLE)
                && !Marks.has(type, Marks.TAG)
                && type.getTypeParameters().isEmpty()
                && type.getRecordComponents().size() == 1
                && isOf(type.getRecordComponents().getFirst(), Marks.REST)
                && type.getInterfaces().size() == 1
                && isOf(type.getInterfaces().getFirst(), Marks.EXTENSIBLE)
                && TypeName.hasCodecsClass(type);
    }

    static boolean isString(TypeElement type) {
        return StringValueModel.is(type) && TypeName.hasCodecsClass(type);
    }

    private static boolean isOf(RecordComponentElement component, String name) {
        return component.getSimpleName().contentEquals("rest") && isOf(component.asType(), name);
    }

    private static boolean isOf(TypeMirror type, String name) {
        return type instanceof DeclaredType declared
                && ((TypeElement) declared.asElement()).getQualifiedName().contentEquals(name);
    }

    /** Returns the codec of a type in its first version, or in all. */
    static CodecName codec(TypeElement type) {
        TypeName names = TypeName.of(type);
        if (isEmptyObject(type)) {
            return new CodecName(emptyObjects(names.packageName()), names.constant());
        }
        if (isString(type)) {
            return new CodecName(strings(names.packageName()), names.constant());
        }
        return new CodecName(new TypeName(names.packageName(), names.codec()), "INSTANCE");
    }

    static TypeName emptyObjects(String packageName) {
        return new TypeName(packageName, EMPTY_OBJECTS);
    }

    static TypeName strings(String packageName) {
        return new TypeName(packageName, STRINGS);
    }

    /** Returns the types of a package by the names of their constants. */
    static Map<String, TypeElement> types(PackageElement origin) {
        Map<String, TypeElement> types = new TreeMap<>();
        collect(ElementFilter.typesIn(origin.getEnclosedElements()), types);
        return types;
    }

    private static void collect(Iterable<TypeElement> found, Map<String, TypeElement> types) {
        for (TypeElement type : found) {
            types.put(TypeName.of(type).constant(), type);
            collect(ElementFilter.typesIn(type.getEnclosedElements()), types);
        }
    }
}
