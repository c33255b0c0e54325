package dev.acp4j.codegen;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.annotation.processing.ProcessingEnvironment;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.RecordComponentElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;

/**
 * A sealed interface whose variants are discriminated by one member.
 *
 * @param names the names of it and its codec
 * @param visibility of its codec: {@code public } or nothing
 * @param chooses whether the first of its two codecs chooses one for a version; in some packages a class does for all
 * @param unstable whether it follows a draft of the protocol
 * @param version the version it is coded for
 * @param member the JSON name of that member
 * @param variants with the values of that member
 * @param untagged the variant without that member, if there is one
 * @param lacksVariants whether there are variants that only other versions have
 * @param unknown the records that keep unknown variants; the first is this union's own
 */
record UnionModel(
        TypeName names,
        String visibility,
        boolean chooses,
        boolean unstable,
        int version,
        String member,
        List<Variant> variants,
        Optional<Variant> untagged,
        List<TypeName> unknown,
        boolean lacksVariants) {

    /**
     * A variant of a union.
     *
     * @param names the names of it and its codec
     * @param codec the codec in this version
     * @param tag the discriminator value; empty for none
     * @param readsOn whether its codec can continue after the tag
     * @param addedByDraft whether a draft adds it to a stable union; a malformed one is then unknown
     */
    record Variant(TypeName names, CodecName codec, String tag, boolean readsOn, boolean addedByDraft) {}

    static UnionModel of(TypeElement union, int version, ProcessingEnvironment environment) {
        if (union.getKind() != ElementKind.INTERFACE || !union.getModifiers().contains(Modifier.SEALED)) {
            throw new MisuseException("@Codable is for records and sealed interfaces", union);
        }
        String member = Marks.text(union, Marks.TAGGED)
                .orElseThrow(() -> new MisuseException("a @Codable union requires @Tagged", union));
        return new Reader(union, version, environment, member).read();
    }

    /** Returns whether a variant is written without a tag. */
    boolean isUntagged(Variant variant) {
        return untagged.filter(variant::equals).isPresent();
    }

    /** Returns the variants selected by a tag when reading. */
    List<Variant> tagged() {
        return variants.stream().filter(variant -> !variant.tag().isEmpty()).toList();
    }

    private static final class Reader {
        private final TypeElement union;
        private final int version;
        private final ProcessingEnvironment environment;
        private final String member;
        private final String untaggedName;
        private final List<Variant> variants = new ArrayList<>();
        private final List<TypeName> unknown = new ArrayList<>();
        private final Set<String> tags = new HashSet<>();
        private Optional<Variant> untagged = Optional.empty();
        private boolean lacksVariants;

        Reader(TypeElement union, int version, ProcessingEnvironment environment, String member) {
            this.union = union;
            this.version = version;
            this.environment = environment;
            this.member = member;
            boolean mayBeUntagged = Marks.value(union, Marks.TAGGED, "untaggedIn")
                    .orElse(version)
                    .equals(version);
            this.untaggedName = mayBeUntagged
                    ? Marks.value(union, Marks.TAGGED, "untagged")
                            .map(Object::toString)
                            .orElse("")
                    : "";
        }

        UnionModel read() {
            permitted(union);
            if (unknown.isEmpty()
                    || !unknown.getFirst().nested().equals(TypeName.of(union).nested() + ".Unknown")) {
                throw new MisuseException(
                        "a union keeps unknown variants: add record Unknown(String " + member + ", RawJson raw)",
                        union);
            }
            if (tags.isEmpty()) {
                throw new MisuseException("a union has at least one variant with @Tag", union);
            }
            if (!untaggedName.isEmpty() && untagged.isEmpty()) {
                throw new MisuseException("untagged = " + untaggedName + " is not one of the variants", union);
            }
            return new UnionModel(
                    TypeName.of(union),
                    TypeName.visibility(union),
                    new Versions(environment).differs(union) && !TypeName.hasCodecsClass(union),
                    TypeName.isUnstable(union),
                    version,
                    member,
                    List.copyOf(variants),
                    untagged,
                    List.copyOf(unknown),
                    lacksVariants);
        }

        private void permitted(TypeElement parent) {
            for (TypeMirror permitted : parent.getPermittedSubclasses()) {
                TypeElement type = (TypeElement) ((DeclaredType) permitted).asElement();
                if (!Versions.has(type, version) || isTaggedElsewhere(type)) {
                    lacksVariants = true;
                    continue;
                }
                boolean isRecord = type.getKind() == ElementKind.RECORD;
                if (isRecord && type.getSimpleName().contentEquals("Unknown") && !Marks.has(type, Marks.TAG)) {
                    unknown(type);
                } else if (isRecord || Marks.has(type, Marks.TAG)) {
                    variant(type);
                } else if (type.getModifiers().contains(Modifier.SEALED)) {
                    permitted(type);
                } else {
                    throw new MisuseException("a variant is a record or a sealed interface", type);
                }
            }
        }

        /** Returns whether a type is a variant in version 2 only, though version 1 has it elsewhere. */
        private boolean isTaggedElsewhere(TypeElement type) {
            return Marks.value(type, Marks.TAG, "v2").isPresent()
                    && !RecordModel.hasTag(type, version)
                    && !type.getQualifiedName().contentEquals(untaggedName);
        }

        private void variant(TypeElement type) {
            String tag = Marks.text(type, Marks.TAG, version).orElse("");
            boolean isUntagged = type.getQualifiedName().contentEquals(untaggedName);
            if (tag.isEmpty() && !isUntagged) {
                throw new MisuseException("a variant of " + union.getSimpleName() + " needs @Tag", type);
            }
            if (!tag.isEmpty() && !tags.add(tag)) {
                throw new MisuseException("two variants have the tag " + tag, type);
            }
            if (!Marks.has(type, Marks.TAG)
                    && !Marks.has(type, Marks.CODABLE)
                    && !TypeName.hasHandWrittenCodec(type, environment)) {
                throw new MisuseException("an untagged variant needs @Codable", type);
            }
            boolean readsOn = type.getKind() == ElementKind.RECORD
                    && (Marks.has(type, Marks.CODABLE) || !TypeName.hasHandWrittenCodec(type, environment))
                    && RecordModel.hasTag(type, version)
                    && RecordModel.tag(type).equals(member);
            Variant variant = new Variant(
                    TypeName.of(type),
                    new Versions(environment).codec(type, version),
                    tag,
                    readsOn,
                    Versions.isAddedByDraft(type, union, version));
            variants.add(variant);
            if (isUntagged) {
                untagged = Optional.of(variant);
            }
            if (type.getKind() == ElementKind.INTERFACE) {
                nested(type);
            }
        }

        /** Unknown variants of a nested union are also written as a whole. */
        private void nested(TypeElement type) {
            if (!Marks.has(type, Marks.CODABLE)) {
                throw new MisuseException("an interface with a @Tag is a union of its own and needs @Codable", type);
            }
            UnionModel.of(type, version, environment).unknown().forEach(unknown::add);
        }

        private void unknown(TypeElement type) {
            List<? extends RecordComponentElement> components = type.getRecordComponents();
            if (components.size() != 2
                    || !components.getFirst().asType().toString().equals("java.lang.String")
                    || !components.getLast().asType().toString().equals("dev.acp4j.json.RawJson")) {
                throw new MisuseException(
                        "the unknown variant is record Unknown(String " + member + ", RawJson raw)", type);
            }
            if (!unknown.isEmpty() && union.equals(type.getEnclosingElement())) {
                unknown.addFirst(TypeName.of(type));
            } else {
                unknown.add(TypeName.of(type));
            }
        }
    }
}
