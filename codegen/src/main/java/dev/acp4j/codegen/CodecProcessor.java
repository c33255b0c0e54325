package dev.acp4j.codegen;

import java.io.IOException;
import java.io.Writer;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.annotation.processing.SupportedAnnotationTypes;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;

/**
 * Generates a codec for each marked record and union and for each {@code StringValue}, and a builder for each marked
 * record that declares {@code builder(…)}. For a marked package, it generates one class that gives all codecs.
 */
@SupportedAnnotationTypes("*")
public final class CodecProcessor extends AbstractProcessor {
    /** Creates the processor; called by javac. */
    public CodecProcessor() {}

    @Override
    public SourceVersion getSupportedSourceVersion() {
        return SourceVersion.latestSupported();
    }

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
        for (Element element : round.getRootElements()) {
            visit(element);
        }
        for (Element element : round.getRootElements()) {
            if (element instanceof PackageElement origin && TypeName.hasCodecsClass(origin)) {
                write(origin, CodecsClassWriter.write(origin, processingEnv));
                EmptyObjectsWriter.write(origin).ifPresent(source -> write(origin, source));
                StringValuesWriter.write(origin).ifPresent(source -> write(origin, source));
            }
        }
        return false;
    }

    private void visit(Element element) {
        if (!(element instanceof TypeElement type)) {
            return;
        }
        try {
            generate(type);
        } catch (MisuseException e) {
            processingEnv.getMessager().printMessage(Diagnostic.Kind.ERROR, e.getMessage(), e.element());
        }
        for (Element enclosed : type.getEnclosedElements()) {
            visit(enclosed);
        }
    }

    private void generate(TypeElement type) {
        if (Marks.has(type, Marks.METHODS)) {
            write(type, MethodTableWriter.write(type, processingEnv));
        } else if (StringValueModel.is(type)) {
            StringValueModel model = StringValueModel.of(type);
            if (!Sharing.isString(type)) {
                write(type, StringValueCodecWriter.write(model));
            }
        } else if (type.getKind() == ElementKind.RECORD) {
            generateRecord(type);
        } else if (Marks.has(type, Marks.CODABLE)) {
            generateUnion(type);
        } else if (Marks.has(type, Marks.TAGGED)) {
            throw new MisuseException("@Tagged requires @Codable", type);
        }
    }

    private void generateRecord(TypeElement type) {
        boolean variant = Marks.has(type, Marks.TAG) && !TypeName.hasHandWrittenCodec(type, processingEnv);
        if (!variant && !Marks.has(type, Marks.CODABLE)) {
            return;
        }
        Versions versions = new Versions(processingEnv);
        RecordModel first = RecordModel.of(type, Versions.first(type), processingEnv);
        String codec = first.names().codec();
        if (versions.isOneClass(type)) {
            write(type, RecordCodecWriter.write(first, RecordModel.of(type, 2, processingEnv), codec));
        } else if (!Sharing.isEmptyObject(type)) {
            write(type, RecordCodecWriter.write(first, codec));
            if (versions.differs(type)) {
                write(
                        type,
                        RecordCodecWriter.write(
                                RecordModel.of(type, 2, processingEnv),
                                first.names().codecV2()));
            }
        }
        RecordModel all = RecordModel.of(type, Versions.ALL, processingEnv);
        if (all.hasBuilder()) {
            write(type, BuilderWriter.write(all));
        }
    }

    private void generateUnion(TypeElement type) {
        Versions versions = new Versions(processingEnv);
        UnionModel first = UnionModel.of(type, Versions.first(type), processingEnv);
        String codec = first.names().codec();
        if (versions.isOneClass(type)) {
            write(type, UnionCodecWriter.write(first, UnionModel.of(type, 2, processingEnv), codec));
            return;
        }
        write(type, UnionCodecWriter.write(first, codec));
        if (versions.differs(type)) {
            write(
                    type,
                    UnionCodecWriter.write(
                            UnionModel.of(type, 2, processingEnv), first.names().codecV2()));
        }
    }

    private void write(Element origin, Source source) {
        try (Writer out = processingEnv
                .getFiler()
                .createSourceFile(source.qualifiedName(), origin)
                .openWriter()) {
            out.write(source.text());
        } catch (IOException e) {
            throw new MisuseException("cannot write " + source.qualifiedName() + ": " + e.getMessage(), origin);
        }
    }
}
