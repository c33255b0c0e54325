package dev.acp4j.codegen;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import javax.annotation.processing.ProcessingEnvironment;
import javax.lang.model.AnnotatedConstruct;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.RecordComponentElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;

/** Determines the types that are encoded differently in another version of the protocol, and so have two codecs. */
final class Versions {
    /** All versions at once: nothing is omitted. */
    static final int ALL = 0;

    private final ProcessingEnvironment environment;

    Versions(ProcessingEnvironment environment) {
        this.environment = environment;
    }

    /** Returns the only version that has this; empty if all have it. */
    static Optional<Integer> only(AnnotatedConstruct marked) {
        Optional<Integer> own = Marks.value(marked, Marks.IN, "value").map(Integer.class::cast);
        if (own.isEmpty()
                && marked instanceof TypeElement type
                && type.getEnclosingElement() instanceof TypeElement outer) {
            return only(outer);
        }
        return own;
    }

    /** Returns whether a version has this. */
    static boolean has(AnnotatedConstruct marked, int version) {
        return version == ALL || only(marked).orElse(version) == version;
    }

    /** Returns whether this is a draft in a version, by itself or as a part of a draft. */
    static boolean isDraft(AnnotatedConstruct marked, int version) {
        if (Marks.has(marked, Marks.DRAFT)) {
            return Marks.value(marked, Marks.DRAFT, "value").orElse(version).equals(version);
        }
        return marked instanceof TypeElement type
                && type.getEnclosingElement() instanceof TypeElement outer
                && isDraft(outer, version);
    }

    /** Returns whether a draft adds this to an object or union that is stable in the version. */
    static boolean isAddedByDraft(AnnotatedConstruct part, TypeElement whole, int version) {
        return isDraft(part, version) && !isDraft(whole, version);
    }

    private static boolean differsInDrafts(AnnotatedConstruct part, TypeElement whole) {
        return isAddedByDraft(part, whole, 1) != isAddedByDraft(part, whole, 2);
    }

    /** Returns the version of a type's first codec, or its only one. */
    static int first(TypeElement type) {
        return Marks.has(type, Marks.TOGETHER) ? ALL : only(type).orElse(1);
    }

    /** Returns the codec that reads and writes a type in a version. */
    CodecName codec(TypeElement type, int version) {
        CodecName first = Sharing.codec(type);
        if (version != 2 || !differs(type)) {
            return first;
        }
        TypeName names = TypeName.of(type);
        return isOneClass(type)
                ? new CodecName(first.holder(), "V2")
                : new CodecName(new TypeName(names.packageName(), names.codecV2()), "INSTANCE");
    }

    /**
     * Returns whether the two codecs of a type are one class: the versions have the same members, or variants, and
     * differ in how they read them.
     */
    boolean isOneClass(TypeElement type) {
        TypeName names = TypeName.of(type);
        if (hasOneClass(names)) {
            return true;
        }
        boolean writtenByHand = environment.getElementUtils().getTypeElement(names.qualified(names.codecV2())) != null;
        boolean same = type.getKind() == ElementKind.RECORD ? hasSameMembers(type) : hasSameVariants(type);
        boolean sameTag = Marks.value(type, Marks.TAG, "v2").isEmpty();
        return same && sameTag && !writtenByHand && TypeName.hasCodecsClass(type) && differs(type);
    }

    /** Returns whether a compiled codec is for both versions. */
    private boolean hasOneClass(TypeName names) {
        TypeElement codec = environment.getElementUtils().getTypeElement(names.qualified(names.codec()));
        return codec != null
                && ElementFilter.fieldsIn(codec.getEnclosedElements()).stream()
                        .anyMatch(field -> field.getSimpleName().contentEquals("V2"));
    }

    /** Returns whether version 2 has a codec of its own for the type. */
    boolean differs(TypeElement type) {
        return differs(type, new HashSet<>());
    }

    private boolean differs(TypeElement type, Set<TypeElement> seen) {
        if (!seen.add(type) || only(type).isPresent() || Marks.has(type, Marks.TOGETHER)) {
            return false;
        }
        TypeName names = TypeName.of(type);
        if (hasOneClass(names)
                || environment.getElementUtils().getTypeElement(names.qualified(names.codecV2())) != null) {
            return true;
        }
        boolean generated = Marks.has(type, Marks.CODABLE) || Marks.has(type, Marks.TAG);
        if (!generated || TypeName.hasHandWrittenCodec(type, environment)) {
            return false;
        }
        Predicate<TypeElement> next = other -> differs(other, seen);
        return type.getKind() == ElementKind.RECORD ? recordDiffers(type, next) : unionDiffers(type, next);
    }

    private static boolean recordDiffers(TypeElement type, Predicate<TypeElement> differs) {
        if (!hasSameMembers(type)) {
            return true;
        }
        for (RecordComponentElement component : type.getRecordComponents()) {
            boolean marked = Marks.value(component, Marks.NAME, "v2").isPresent()
                    || Marks.value(component, Marks.DEFAULT_ON_ERROR, "value").isPresent()
                    || Marks.value(component, Marks.SKIP_INVALID_ITEMS, "value").isPresent();
            if (marked || reaches(component.asType(), differs)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether the members of a record are the same in both versions, but for their names, their leniency and
     * their types.
     */
    private static boolean hasSameMembers(TypeElement type) {
        for (RecordComponentElement component : type.getRecordComponents()) {
            boolean marked = Marks.has(component, Marks.IN)
                    || Marks.has(component, Marks.REQUIRED)
                    || Marks.value(component, Marks.CODED_BY, "v1").isPresent()
                    || Marks.value(component, Marks.CODED_BY, "v2").isPresent()
                    || differsInDrafts(component, type)
                    || Marks.value(component, Marks.RANGE, "only").isPresent();
            if (marked) {
                return false;
            }
        }
        return true;
    }

    private static boolean reaches(TypeMirror type, Predicate<TypeElement> differs) {
        return type instanceof DeclaredType declared
                && (differs.test((TypeElement) declared.asElement())
                        || declared.getTypeArguments().stream().anyMatch(argument -> reaches(argument, differs)));
    }

    private static boolean unionDiffers(TypeElement type, Predicate<TypeElement> differs) {
        if (!hasSameVariants(type)) {
            return true;
        }
        for (TypeMirror permitted : type.getPermittedSubclasses()) {
            TypeElement variant = (TypeElement) ((DeclaredType) permitted).asElement();
            if (differs.test(variant) || (isGroup(variant) && unionDiffers(variant, differs))) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the variants of a union and their tags are the same in both versions. */
    private static boolean hasSameVariants(TypeElement type) {
        if (Marks.value(type, Marks.TAGGED, "untaggedIn").isPresent()) {
            return false;
        }
        for (TypeMirror permitted : type.getPermittedSubclasses()) {
            TypeElement variant = (TypeElement) ((DeclaredType) permitted).asElement();
            if (only(variant).isPresent()
                    || Marks.value(variant, Marks.TAG, "v2").isPresent()
                    || differsInDrafts(variant, type)
                    || (isGroup(variant) && !hasSameVariants(variant))) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether this only groups variants of the union around it. */
    private static boolean isGroup(TypeElement variant) {
        return !Marks.has(variant, Marks.TAG) && variant.getKind() == ElementKind.INTERFACE;
    }
}
