package dev.acp4j.codegen;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.annotation.processing.ProcessingEnvironment;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.RecordComponentElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;

/**
 * A record that is an object on the wire.
 *
 * @param names the names of it and its codec
 * @param visibility of its codec: {@code public } or nothing
 * @param chooses whether the first of its two codecs chooses one for a version; in some packages a class does for all
 * @param version the version it is coded for
 * @param components in the order they are written
 * @param checked whether its constructor may reject values
 * @param hasBuilder whether it requests a builder
 * @param tag the discriminator of its union; empty if it is not a variant
 * @param isVariant whether it is a variant of a union, possibly one without a tag
 * @param otherTags discriminators of other enclosing unions, which are not kept as unknown members
 * @param unstable whether it follows a draft of the protocol
 */
record RecordModel(
        TypeName names,
        String visibility,
        boolean chooses,
        int version,
        List<Component> components,
        boolean checked,
        boolean hasBuilder,
        String tag,
        boolean isVariant,
        List<String> otherTags,
        boolean unstable) {

    static RecordModel of(TypeElement record, int version, ProcessingEnvironment environment) {
        if (!record.getTypeParameters().isEmpty()) {
            throw new MisuseException("a record with a codec has no type parameters", record);
        }
        List<Component> components = components(record, version, environment);
        Optional<ExecutableElement> builder = method(record, "builder", true);
        if (version == Versions.ALL) {
            builder.ifPresent(found -> checkBuilder(record, found, components));
        }
        if (components.stream().anyMatch(Component::addedByDraft)
                && components.getLast().presence() != Component.Presence.REST) {
            throw new MisuseException(
                    "a record with a component of a draft keeps malformed ones: add Rest rest", record);
        }
        String tag = hasTag(record, version) ? tag(record) : "";
        if (components.stream().anyMatch(component -> component.jsonName().equals(tag))) {
            throw new MisuseException("the member " + tag + " is the tag of the union", record);
        }
        return new RecordModel(
                TypeName.of(record),
                TypeName.visibility(record),
                new Versions(environment).differs(record) && !TypeName.hasCodecsClass(record),
                version,
                components,
                isChecked(record, environment),
                builder.isPresent(),
                tag,
                !allTags(record).isEmpty(),
                otherTags(record, tag, components),
                TypeName.isUnstable(record));
    }

    /** Returns whether a version identifies the type by a tag among the variants of its union. */
    static boolean hasTag(TypeElement type, int version) {
        return Marks.text(type, Marks.TAG, version)
                .filter(tag -> !tag.isEmpty())
                .isPresent();
    }

    /** Searches for the union among the interfaces and their superinterfaces. */
    static String tag(TypeElement type) {
        for (TypeMirror parent : type.getInterfaces()) {
            TypeElement element = (TypeElement) ((DeclaredType) parent).asElement();
            String tag = Marks.text(element, Marks.TAGGED).orElseGet(() -> tag(element));
            if (!tag.isEmpty()) {
                return tag;
            }
        }
        return "";
    }

    private static List<String> otherTags(TypeElement record, String tag, List<Component> components) {
        Set<String> tags = allTags(record);
        tags.remove(tag);
        components.forEach(component -> tags.remove(component.jsonName()));
        return List.copyOf(tags);
    }

    private static Set<String> allTags(TypeElement record) {
        Set<String> tags = new LinkedHashSet<>();
        collectTags(record, tags);
        return tags;
    }

    private static void collectTags(TypeElement type, Set<String> tags) {
        for (TypeMirror parent : type.getInterfaces()) {
            TypeElement element = (TypeElement) ((DeclaredType) parent).asElement();
            Marks.text(element, Marks.TAGGED).ifPresent(tags::add);
            collectTags(element, tags);
        }
    }

    /** Returns whether the record keeps unknown members. */
    boolean hasRest() {
        return !components.isEmpty() && components.getLast().presence() == Component.Presence.REST;
    }

    /**
     * Returns whether the record's constructor may reject values: in a package that marks such records one with the
     * mark, elsewhere any that does more than assign the values.
     */
    static boolean isChecked(TypeElement record, ProcessingEnvironment environment) {
        return TypeName.hasCodecsClass(record)
                ? Marks.has(record, Marks.REJECTING)
                : ElementFilter.constructorsIn(record.getEnclosedElements()).stream()
                        .anyMatch(environment.getElementUtils()::isCompactConstructor);
    }

    /** Returns the components that the version has; their positions are the indexes of their names. */
    List<Component> here() {
        return components.stream().filter(Component::here).toList();
    }

    List<Component> required() {
        return components.stream().filter(Component::isRequired).toList();
    }

    private static List<Component> components(TypeElement record, int version, ProcessingEnvironment environment) {
        ComponentReader reader = new ComponentReader(record, version, environment);
        List<? extends RecordComponentElement> elements = record.getRecordComponents();
        List<Component> components = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (RecordComponentElement element : elements) {
            Component component = reader.read(element);
            if (component.presence() == Component.Presence.REST && !element.equals(elements.getLast())) {
                throw new MisuseException("Rest rest is the last component", element);
            }
            if (component.here() && !names.add(component.jsonName())) {
                throw new MisuseException("two components are called " + component.jsonName() + " in JSON", element);
            }
            components.add(component);
        }
        return List.copyOf(components);
    }

    private static void checkBuilder(TypeElement record, ExecutableElement builder, List<Component> components) {
        List<String> required = components.stream()
                .filter(Component::isRequired)
                .map(Component::name)
                .toList();
        List<String> parameters = builder.getParameters().stream()
                .map(parameter -> parameter.getSimpleName().toString())
                .toList();
        if (!required.equals(parameters)) {
            throw new MisuseException(
                    "builder takes the required components in their order: builder(" + String.join(", ", required)
                            + ")",
                    builder);
        }
        if (method(record, "toBuilder", false).isEmpty()) {
            throw new MisuseException("a record with builder(…) has toBuilder() too", record);
        }
    }

    private static Optional<ExecutableElement> method(TypeElement record, String name, boolean isStatic) {
        return ElementFilter.methodsIn(record.getEnclosedElements()).stream()
                .filter(method -> method.getSimpleName().contentEquals(name))
                .filter(method -> method.getModifiers().contains(Modifier.STATIC) == isStatic)
                .findFirst();
    }
}
