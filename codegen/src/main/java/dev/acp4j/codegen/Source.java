package dev.acp4j.codegen;

import java.util.Set;
import java.util.TreeSet;

/** The text of one generated file: lines are indented by block, imports are collected. */
final class Source {
    /** The line length of the hand-written sources. */
    static final int MAX_LINE = 120;

    private static final String INDENT = "    ";

    private final TypeName origin;
    private final String name;
    private final Set<String> imports = new TreeSet<>();
    private final StringBuilder body = new StringBuilder();
    private int depth;

    Source(TypeName origin, String name) {
        this.origin = origin;
        this.name = name;
    }

    String qualifiedName() {
        return origin.qualified(name);
    }

    /** Returns the name of a type here, and imports it if it is in another package. */
    String type(TypeName type) {
        if (!type.packageName().equals(origin.packageName())
                && !type.packageName().equals("java.lang")) {
            imports.add(type.qualified(type.outermost()));
        }
        return type.nested();
    }

    String type(String packageName, String nested) {
        return type(new TypeName(packageName, nested));
    }

    /** Returns the name of a type of the codec library here. */
    String json(String nested) {
        return type("dev.acp4j.json", nested);
    }

    /** Returns the name of a support type of generated codecs here. */
    String support(String nested) {
        return type(TypeName.SUPPORT, nested);
    }

    /** Returns the name of a protocol type used by codecs and builders here. */
    String schema(String nested) {
        return type(TypeName.SCHEMA, nested);
    }

    /**
     * Opens a codec, with an instance for each version if it is for both; it is marked as a draft if its type or its
     * version is one.
     */
    void openCodec(TypeName names, String codec, String visibility, boolean unstable, boolean both) {
        javadoc("Reads and writes {@link " + type(names) + "}.");
        if (!visibility.isEmpty() && (unstable || codec.equals(names.codecV2()))) {
            line("@" + schema("Unstable"));
        }
        open(visibility + "final class " + codec + " implements " + json("Codec") + "<" + type(names) + ">");
        line(visibility + "static final " + codec + " INSTANCE = new " + codec + "(" + (both ? "false" : "") + ");");
        if (both) {
            line("static final " + codec + " V2 = new " + codec + "(true);");
        }
        blank();
    }

    /** Writes the constructor of a codec, which knows its version if it is for both. */
    void constructor(String codec, boolean both) {
        if (!both) {
            line("private " + codec + "() {}").blank();
            return;
        }
        javadoc("Whether this is the codec for version 2.");
        line("private final boolean second;").blank();
        open("private " + codec + "(boolean second)")
                .line("this.second = second;")
                .close()
                .blank();
    }

    /** Writes the method that gives the codec for a version, into the first of two codecs. */
    void ofVersion(TypeName names, String type, boolean firstOfTwo, String visibility) {
        if (!firstOfTwo) {
            return;
        }
        javadoc("Returns the codec for a version of the protocol.");
        open(visibility + "static " + json("Codec") + "<" + type + "> of(" + schema("Version") + " version)");
        line("return version == Version.V2 ? " + names.codecV2() + ".INSTANCE : " + names.codec() + ".INSTANCE;");
        close().blank();
    }

    String list() {
        return type("java.util", "List");
    }

    Source blank() {
        body.append('\n');
        return this;
    }

    Source line(String text) {
        body.append(INDENT.repeat(depth)).append(text).append('\n');
        return this;
    }

    /** Writes a line that ends with an opening brace. */
    Source open(String text) {
        return line(text + " {").indent();
    }

    Source indent() {
        depth++;
        return this;
    }

    Source close() {
        return closeWith("");
    }

    Source closeWith(String after) {
        depth--;
        return line("}" + after);
    }

    /** Closes a block and opens the next one on the same line. */
    Source next(String text) {
        depth--;
        return open("} " + text);
    }

    /** Writes a call, or a list of any other kind, on one line or with each item on its own. */
    Source call(String before, Iterable<String> items, String after) {
        String joined = before + String.join(", ", items) + after;
        if (INDENT.length() * depth + joined.length() <= MAX_LINE) {
            return line(joined);
        }
        return line(before).continued(String.join(",\n", items) + after);
    }

    private Source continued(String lines) {
        for (String text : lines.split("\n", -1)) {
            line(INDENT + INDENT + text);
        }
        return this;
    }

    /** Writes a comment for Javadoc. */
    Source javadoc(String text) {
        if (text.indexOf('\n') < 0 && INDENT.length() * depth + text.length() + 8 <= MAX_LINE) {
            return line("/** " + text + " */");
        }
        line("/**");
        for (String part : text.split("\n", -1)) {
            line(part.isBlank() ? " *" : " * " + part.strip());
        }
        return line(" */");
    }

    String text() {
        StringBuilder text = new StringBuilder();
        text.append("// Written by acp4j-codegen from ").append(origin.nested()).append("; changes belong there.\n");
        text.append("package ").append(origin.packageName()).append(";\n\n");
        imports.forEach(type -> text.append("import ").append(type).append(";\n"));
        if (!imports.isEmpty()) {
            text.append('\n');
        }
        return text.append(body).toString();
    }
}
