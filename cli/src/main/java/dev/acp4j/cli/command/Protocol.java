package dev.acp4j.cli.command;

import dev.acp4j.schema.Version;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Which versions of the protocol are spoken. */
public enum Protocol {
    /** Version 1 only. */
    ONE("1"),
    /** Version 2 only. */
    TWO("2"),
    /** The newest that both sides speak. */
    AUTO("auto");

    /** What the help calls the values. */
    public static final String LABEL = "1|2|auto";

    private final String text;

    Protocol(String text) {
        this.text = text;
    }

    /** Returns the versions. */
    public Version[] versions() {
        return switch (this) {
            case ONE -> new Version[] {Version.V1};
            case TWO -> new Version[] {Version.V2};
            case AUTO -> Version.values();
        };
    }

    @Override
    public String toString() {
        return text;
    }

    /** Reads the value of an option. */
    public static final class Converter implements ITypeConverter<Protocol> {
        @Override
        public Protocol convert(String given) {
            for (Protocol one : values()) {
                if (one.text.equals(given)) {
                    return one;
                }
            }
            throw new TypeConversionException("expected 1, 2 or auto, got '" + given + "'");
        }
    }
}
