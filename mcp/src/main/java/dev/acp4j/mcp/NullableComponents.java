package dev.acp4j.mcp;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Reads in a class file which components of a record are {@code @Nullable}. Reflection does not tell of an annotation
 * whose class is missing at run time, and those for checkers often are: they are optional in modules, and left out of
 * what is shipped. Any annotation of that simple name counts, also one that is kept in class files only.
 *
 * @see <a href="https://docs.oracle.com/javase/specs/jvms/se21/html/jvms-4.html">The class file format</a>
 */
final class NullableComponents {
    private static final String NULLABLE = "Nullable;";

    private final DataInputStream in;

    /** The entries of the constant pool that are texts, by their number. */
    private final Map<Integer, String> texts = new HashMap<>();

    private NullableComponents(DataInputStream in) throws IOException {
        this.in = in;
        // The magic number and the version.
        in.skipNBytes(8);
        readConstants();
    }

    /** Returns the names of the components of a record that may be absent; none if its class file cannot be read. */
    static Set<String> of(Class<?> type) {
        String file = type.getName().substring(type.getPackageName().length()).replace(".", "") + ".class";
        try (InputStream bytes = type.getResourceAsStream(file)) {
            return bytes == null
                    ? Set.of()
                    : new NullableComponents(new DataInputStream(new BufferedInputStream(bytes))).components();
        } catch (IOException e) {
            return Set.of();
        }
    }

    private void readConstants() throws IOException {
        int count = in.readUnsignedShort();
        for (int i = 1; i < count; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1 -> texts.put(i, in.readUTF());
                case 5, 6 -> {
                    in.skipNBytes(8);
                    // A long or a double counts twice.
                    i++;
                }
                case 7, 8, 16, 19, 20 -> in.skipNBytes(2);
                case 15 -> in.skipNBytes(3);
                default -> in.skipNBytes(4);
            }
        }
    }

    private Set<String> components() throws IOException {
        // What may be done with the class, its name and that of its superclass.
        in.skipNBytes(6);
        in.skipNBytes(2L * in.readUnsignedShort());
        skipMembers();
        skipMembers();
        Set<String> nullable = new HashSet<>();
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            String attribute = text();
            int length = in.readInt();
            if (attribute.equals("Record")) {
                for (int components = in.readUnsignedShort(); components > 0; components--) {
                    component(nullable);
                }
            } else {
                in.skipNBytes(length);
            }
        }
        return nullable;
    }

    private String text() throws IOException {
        return texts.getOrDefault(in.readUnsignedShort(), "");
    }

    /** Skips the fields, or the methods. */
    private void skipMembers() throws IOException {
        for (int members = in.readUnsignedShort(); members > 0; members--) {
            in.skipNBytes(6);
            for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
                in.skipNBytes(2);
                in.skipNBytes(in.readInt());
            }
        }
    }

    private void component(Set<String> nullable) throws IOException {
        String name = text();
        // Its type.
        in.skipNBytes(2);
        boolean isNullable = false;
        for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
            String attribute = text();
            int length = in.readInt();
            if (attribute.endsWith("Annotations")) {
                isNullable |= isNullable(attribute.endsWith("TypeAnnotations"));
            } else {
                in.skipNBytes(length);
            }
        }
        if (isNullable) {
            nullable.add(name);
        }
    }

    /** Reads the annotations of a component, or of its type. */
    private boolean isNullable(boolean ofType) throws IOException {
        boolean isNullable = false;
        for (int annotations = in.readUnsignedShort(); annotations > 0; annotations--) {
            int depth = 0;
            if (ofType) {
                // That it is on the type of a component, and where in that: not at the top, in List<@Nullable String>.
                in.skipNBytes(1);
                depth = in.readUnsignedByte();
                in.skipNBytes(2L * depth);
            }
            boolean hasName = annotation();
            isNullable |= hasName && depth == 0;
        }
        return isNullable;
    }

    /** Reads an annotation, and returns whether it has the name that is looked for. */
    private boolean annotation() throws IOException {
        String type = text();
        for (int values = in.readUnsignedShort(); values > 0; values--) {
            in.skipNBytes(2);
            value();
        }
        return type.endsWith("/" + NULLABLE) || type.endsWith("$" + NULLABLE);
    }

    private void value() throws IOException {
        switch (in.readUnsignedByte()) {
            case 'e' -> in.skipNBytes(4);
            case '@' -> {
                boolean unused = annotation();
            }
            case '[' -> {
                for (int values = in.readUnsignedShort(); values > 0; values--) {
                    value();
                }
            }
            default -> in.skipNBytes(2);
        }
    }
}
