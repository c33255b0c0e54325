package dev.acp4j.codegen;

import dev.acp4j.codegen.Component.Presence;
import java.util.Map;
import java.util.Optional;
import javax.annotation.processing.ProcessingEnvironment;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.RecordComponentElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;

/** Reads the components of one record, and rejects meaningless combinations of annotations. */
final class ComponentReader {
    private static final String CHANGE = "dev.acp4j.schema.Change";

    private final TypeElement record;
    private final ProcessingEnvironment environment;
    private final ShapeReader shapes;
    private final int version;
    private final Map<String, String> documentation;

    /** @param version the version to read it for; {@link Versions#ALL} for a builder, or for all at once */
    ComponentReader(TypeElement record, int version, ProcessingEnvironment environment) {
        this.record = record;
        this.environment = environment;
        this.version = version;
        this.shapes = new ShapeReader(TypeName.of(record).packageName(), environment);
        this.documentation = Documentation.components(record, environment);
    }

    Component read(RecordComponentElement component) {
        if (isDeclared(component.asType(), Marks.REST)) {
            return rest(component);
        }
        if (component.getSimpleName().contentEquals("rest")) {
            throw new MisuseException("the component rest must be a Rest", component);
        }
        TypeMirror type = component.asType();
        boolean change = isDeclared(type, CHANGE);
        boolean here = Versions.has(component, version);
        int inVersion = version == Versions.ALL ? Versions.only(component).orElse(1) : version;
        Shape shape = shapes.read(change ? argument(component) : type, component, inVersion);
        Presence declared = change ? change(component) : presence(component, shape);
        if (declared == Presence.REQUIRED && Marks.has(component, Marks.IN)) {
            throw new MisuseException("a component of one version may be absent: mark it as optional", component);
        }
        if (declared == Presence.REQUIRED && Marks.has(component, Marks.DRAFT)) {
            throw new MisuseException("a component of a draft may be absent: mark it as optional", component);
        }
        if (declared == Presence.CHANGE && Versions.isAddedByDraft(component, record, version)) {
            throw new MisuseException("a draft that adds a Change to a stable record is not supported", component);
        }
        Presence presence = required(component, declared, shape);
        Component read = new Component(
                component.getSimpleName().toString(),
                Marks.text(component, Marks.NAME, version)
                        .filter(name -> !name.isEmpty())
                        .orElse(component.getSimpleName().toString()),
                shape,
                type.getKind().isPrimitive(),
                presence,
                isLenient(component),
                presence == Presence.DEFAULTED ? defaultTo(component) : "",
                Marks.value(component, Marks.DEFAULT_TO, "written").equals(Optional.of(true)),
                here,
                declared == Presence.NULLABLE,
                Versions.isAddedByDraft(component, record, version),
                Marks.has(component, Marks.UNSTABLE),
                documentation.getOrDefault(component.getSimpleName().toString(), ""));
        check(component, read, declared);
        return read;
    }

    private boolean isLenient(RecordComponentElement component) {
        Optional<Object> only = Marks.value(component, Marks.DEFAULT_ON_ERROR, "value");
        return Marks.has(component, Marks.DEFAULT_ON_ERROR)
                && (version == Versions.ALL || only.isEmpty() || only.get().equals(version));
    }

    /** Returns the meaning of absence in this version, if the versions differ. */
    private Presence required(RecordComponentElement component, Presence declared, Shape shape) {
        Optional<Object> required = Marks.value(component, Marks.REQUIRED, "value");
        if (required.isEmpty() || version == Versions.ALL) {
            return declared;
        }
        boolean collection = isCollection(shape);
        if ((declared == Presence.REQUIRED && !collection) || declared == Presence.CHANGE) {
            throw new MisuseException("@Required is for members that may be absent in another version", component);
        }
        if (required.get().equals(version)) {
            return Presence.REQUIRED;
        }
        return declared == Presence.REQUIRED ? Presence.EMPTY : declared;
    }

    private Component rest(RecordComponentElement component) {
        if (!component.getSimpleName().contentEquals("rest")) {
            throw new MisuseException("the component of type Rest must be called rest", component);
        }
        for (String mark : Marks.OF_COMPONENTS) {
            if (Marks.has(component, mark)) {
                throw new MisuseException(Marks.shown(mark) + " does not apply to unknown members", component);
            }
        }
        TypeName names = new TypeName(TypeName.SCHEMA, "Rest");
        String text = documentation.getOrDefault("rest", "");
        return new Component(
                "rest",
                "_meta",
                new Shape.Coded(names, null),
                false,
                Presence.REST,
                true,
                "",
                false,
                true,
                false,
                false,
                false,
                text);
    }

    private static Presence change(RecordComponentElement component) {
        for (String mark : new String[] {Marks.OPTIONAL_MEMBER, Marks.DEFAULT_TO}) {
            if (Marks.has(component, mark)) {
                throw new MisuseException("a Change is always optional: remove " + Marks.shown(mark), component);
            }
        }
        if (isNullable(component)) {
            throw new MisuseException("a Change is never null: an absent member is Change.keep()", component);
        }
        return Presence.CHANGE;
    }

    private static Presence presence(RecordComponentElement component, Shape shape) {
        boolean collection = isCollection(shape);
        boolean optional = Marks.has(component, Marks.OPTIONAL_MEMBER);
        if (optional && !collection) {
            throw new MisuseException("@OptionalMember is for lists and maps; mark others @Nullable", component);
        }
        if (isNullable(component)) {
            if (collection) {
                throw new MisuseException("a list or map is never null: use @OptionalMember or Change", component);
            }
            if (Marks.has(component, Marks.DEFAULT_TO)) {
                throw new MisuseException("a component with a default is never null: remove @Nullable", component);
            }
            return Presence.NULLABLE;
        }
        if (Marks.has(component, Marks.DEFAULT_TO)) {
            return Presence.DEFAULTED;
        }
        return optional ? Presence.EMPTY : Presence.REQUIRED;
    }

    private String defaultTo(RecordComponentElement component) {
        String value = Marks.text(component, Marks.DEFAULT_TO).orElse("");
        if (component.asType().getKind() == TypeKind.BOOLEAN) {
            if (!value.equals("true") && !value.equals("false")) {
                throw new MisuseException(
                        "a boolean defaults to \"true\" or \"false\", not \"" + value + "\"", component);
            }
            return value;
        }
        if (!(component.asType() instanceof DeclaredType declared)) {
            throw new MisuseException("@DefaultTo is for booleans and for types with constants", component);
        }
        for (Element member : declared.asElement().getEnclosedElements()) {
            if (member.getKind() == ElementKind.FIELD
                    && member.getSimpleName().contentEquals(value)
                    && member.getModifiers().contains(Modifier.STATIC)
                    && environment.getTypeUtils().isSameType(member.asType(), erased(declared))) {
                return TypeName.of((TypeElement) declared.asElement()).nested() + "." + value;
            }
        }
        throw new MisuseException(
                declared.asElement().getSimpleName() + " has no constant " + value + " of its own type", component);
    }

    private static void check(RecordComponentElement component, Component read, Presence declared) {
        boolean collection = read.isList() || read.isMap();
        if (Marks.has(component, Marks.SKIP_INVALID_ITEMS) && !read.isList()) {
            throw new MisuseException("@SkipInvalidItems is for lists", component);
        }
        if (declared == Presence.REQUIRED && read.lenient() && !collection) {
            throw new MisuseException(
                    "@DefaultOnError on a required member has nothing to fall back to, unless it is a list or map",
                    component);
        }
        boxed(component, read, declared);
    }

    private static void boxed(RecordComponentElement component, Component read, Presence declared) {
        boolean needsNullable = read.shape() instanceof Shape.Scalar scalar
                && scalar.kind() != Shape.Kind.STRING
                && !read.primitive()
                && declared != Presence.NULLABLE
                && declared != Presence.CHANGE;
        if (needsNullable) {
            throw new MisuseException("a boxed type is for @Nullable components: use the primitive one", component);
        }
    }

    private static boolean isCollection(Shape shape) {
        Shape declared = shape instanceof Shape.By by ? by.of() : shape;
        return declared instanceof Shape.ListOf || declared instanceof Shape.MapOf;
    }

    private TypeMirror erased(TypeMirror type) {
        return environment.getTypeUtils().erasure(type);
    }

    private static TypeMirror argument(RecordComponentElement component) {
        return ((DeclaredType) component.asType()).getTypeArguments().getFirst();
    }

    private static boolean isNullable(RecordComponentElement component) {
        return Marks.has(component.asType(), Marks.NULLABLE)
                || Marks.has(component.getAccessor().getReturnType(), Marks.NULLABLE);
    }

    private static boolean isDeclared(TypeMirror type, String qualifiedName) {
        return type instanceof DeclaredType declared
                && ((TypeElement) declared.asElement()).getQualifiedName().contentEquals(qualifiedName);
    }
}
