package dev.acp4j.codegen;

import java.util.List;
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
import org.jspecify.annotations.Nullable;

/** Derives the shape of a value from the type of a component. */
final class ShapeReader {
    private final String packageName;
    private final ProcessingEnvironment environment;

    /** @param packageName the package of the codec */
    ShapeReader(String packageName, ProcessingEnvironment environment) {
        this.packageName = packageName;
        this.environment = environment;
    }

    Shape read(TypeMirror type, RecordComponentElement component, int version) {
        Optional<String> codec = Marks.value(component, Marks.CODED_BY, "v" + version)
                .or(() -> Marks.value(component, Marks.CODED_BY, "value"))
                .map(Object::toString);
        Shape shape = declared(type, component, version);
        return codec.isPresent() ? new Shape.By(shape, codec.get()) : shape;
    }

    private Shape declared(TypeMirror type, RecordComponentElement component, int version) {
        Shape.Kind kind = kind(type);
        if (kind != null) {
            return scalar(kind, component, version);
        }
        if (!(type instanceof DeclaredType declared) || type.getKind() == TypeKind.ERROR) {
            throw unknown(type, component);
        }
        TypeElement element = (TypeElement) declared.asElement();
        return switch (element.getQualifiedName().toString()) {
            case "java.util.List" ->
                new Shape.ListOf(
                        declared(declared.getTypeArguments().getFirst(), component, version),
                        skipsInvalid(component, version));
            case "java.util.Map" -> map(declared.getTypeArguments(), component, version);
            default -> coded(element, component, version);
        };
    }

    private static boolean skipsInvalid(RecordComponentElement component, int version) {
        return Marks.has(component, Marks.SKIP_INVALID_ITEMS)
                && Marks.value(component, Marks.SKIP_INVALID_ITEMS, "value")
                        .orElse(version)
                        .equals(version);
    }

    private static Shape scalar(Shape.Kind kind, RecordComponentElement component, int version) {
        boolean bounded = Marks.has(component, Marks.RANGE)
                && Marks.value(component, Marks.RANGE, "only").orElse(version).equals(version);
        if (!bounded) {
            return new Shape.Scalar(kind, null);
        }
        if (!kind.isInteger()) {
            throw new MisuseException("@Range is for integers", component);
        }
        long greatest = kind == Shape.Kind.INT ? Integer.MAX_VALUE : Long.MAX_VALUE;
        long min = (Long) Marks.value(component, Marks.RANGE, "min").orElse(0L);
        long max = (Long) Marks.value(component, Marks.RANGE, "max").orElse(greatest);
        if (min > max || max > greatest) {
            throw new MisuseException("no " + kind.boxed + " is from " + min + " to " + max, component);
        }
        boolean inOneVersion = Marks.value(component, Marks.RANGE, "only").isPresent();
        return new Shape.Scalar(kind, new Shape.Bounds(min, max, inOneVersion));
    }

    private Shape map(List<? extends TypeMirror> arguments, RecordComponentElement component, int version) {
        if (kind(arguments.getFirst()) != Shape.Kind.STRING) {
            throw new MisuseException("the keys of a map are strings", component);
        }
        return new Shape.MapOf(declared(arguments.getLast(), component, version));
    }

    private Shape coded(TypeElement type, RecordComponentElement component, int version) {
        if (Marks.has(component, Marks.RANGE)) {
            throw new MisuseException("@Range is for integers", component);
        }
        TypeName names = TypeName.of(type);
        if (hasPublicCodec(type)) {
            return new Shape.Coded(names, null);
        }
        boolean generated = Marks.has(type, Marks.CODABLE) || StringValueModel.is(type) || Marks.has(type, Marks.TAG);
        Versions versions = new Versions(environment);
        CodecName codec = versions.codec(type, version);
        TypeElement written =
                environment.getElementUtils().getTypeElement(codec.holder().qualified());
        if (!generated && written == null) {
            throw unknown(type.asType(), component);
        }
        if (!names.packageName().equals(packageName) && TypeName.isPublic(type) && TypeName.hasCodecsClass(type)) {
            return new Shape.Given(names, version == 2 && versions.differs(type));
        }
        boolean isPublic = written == null
                ? !TypeName.visibility(type).isEmpty()
                : written.getModifiers().contains(Modifier.PUBLIC);
        if (!isPublic && !names.packageName().equals(packageName)) {
            throw new MisuseException(
                    codec.holder().nested() + " is not visible in " + packageName + ", because it is declared in "
                            + names.packageName(),
                    component);
        }
        return new Shape.Coded(names, codec);
    }

    static boolean hasPublicCodec(TypeElement type) {
        Optional<? extends Element> field = type.getEnclosedElements().stream()
                .filter(member -> member.getKind() == ElementKind.FIELD)
                .filter(member -> member.getSimpleName().contentEquals("CODEC"))
                .filter(member -> member.getModifiers().contains(Modifier.PUBLIC)
                        && member.getModifiers().contains(Modifier.STATIC))
                .findFirst();
        return field.isPresent();
    }

    private static MisuseException unknown(TypeMirror type, RecordComponentElement component) {
        return new MisuseException(
                "no codec for " + type + ": mark it @Codable, or write its codec by hand", component);
    }

    private static Shape.@Nullable Kind kind(TypeMirror type) {
        if (type.getKind() == TypeKind.DECLARED) {
            String name = ((TypeElement) ((DeclaredType) type).asElement())
                    .getQualifiedName()
                    .toString();
            for (Shape.Kind kind : Shape.Kind.values()) {
                if (name.equals("java.lang." + kind.boxed)) {
                    return kind;
                }
            }
            return null;
        }
        return switch (type.getKind()) {
            case BOOLEAN -> Shape.Kind.BOOLEAN;
            case INT -> Shape.Kind.INT;
            case LONG -> Shape.Kind.LONG;
            case DOUBLE -> Shape.Kind.DOUBLE;
            default -> null;
        };
    }
}
