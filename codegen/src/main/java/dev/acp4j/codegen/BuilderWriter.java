package dev.acp4j.codegen;

import dev.acp4j.codegen.Component.Presence;
import java.util.List;

/** Writes the builder of a record: a setter for each component, and additional methods for lists, maps and changes. */
final class BuilderWriter {
    private final RecordModel model;
    private final Source out;
    private final String record;
    private final String builder;

    private BuilderWriter(RecordModel model) {
        this.model = model;
        this.builder = model.names().builder();
        this.out = new Source(model.names(), builder);
        this.record = out.type(model.names());
    }

    static Source write(RecordModel model) {
        BuilderWriter writer = new BuilderWriter(model);
        writer.head();
        writer.constructors();
        for (Component component : model.components()) {
            writer.setters(component);
        }
        writer.build();
        return writer.out;
    }

    private void head() {
        out.javadoc("Builds a {@link " + record
                + "}: created by its {@code builder} or {@code toBuilder}, for use by one" + " thread.");
        if (model.unstable()) {
            out.line("@" + out.schema("Unstable"));
        }
        out.open("public final class " + builder);
        for (Component component : model.components()) {
            field(component);
        }
        out.blank();
    }

    private void field(Component component) {
        String type = component.type(out);
        switch (component.presence()) {
            case NULLABLE -> out.line("private " + nullable(component) + " " + component.name() + ";");
            case CHANGE, DEFAULTED, REST -> out.line("private " + type + " " + component.name() + ";");
            case REQUIRED, EMPTY -> {
                if (component.isList()) {
                    String list = out.type("java.util", "ArrayList");
                    out.line("private final " + type + " " + component.name() + " = new " + list + "<>();");
                } else if (component.isMap()) {
                    String map = out.type("java.util", "LinkedHashMap");
                    out.line("private final " + type + " " + component.name() + " = new " + map + "<>();");
                } else {
                    out.line("private " + type + " " + component.name() + ";");
                }
            }
        }
    }

    private void constructors() {
        List<String> parameters = model.required().stream()
                .map(component -> component.type(out) + " " + component.name())
                .toList();
        out.call(builder + "(", parameters, ") {").indent();
        for (Component component : model.required()) {
            assign(component, component.name());
        }
        for (Component component : model.components()) {
            switch (component.presence()) {
                case CHANGE, DEFAULTED, REST ->
                    out.line("this." + component.name() + " = " + component.absent(out) + ";");
                case NULLABLE, REQUIRED, EMPTY -> {}
            }
        }
        out.close().blank();
        out.open(builder + "(" + record + " from)");
        for (Component component : model.components()) {
            assign(component, "from." + component.name() + "()");
        }
        out.close();
    }

    private void assign(Component component, String value) {
        if (isHeld(component) && component.isList()) {
            out.line("this." + component.name() + ".addAll(" + value + ");");
        } else if (isHeld(component) && component.isMap()) {
            out.line("this." + component.name() + ".putAll(" + value + ");");
        } else {
            out.line("this." + component.name() + " = " + value + ";");
        }
    }

    /** Returns whether the builder holds a collection of its own that values are copied to. */
    private static boolean isHeld(Component component) {
        return component.presence() != Presence.CHANGE && (component.isList() || component.isMap());
    }

    private void setters(Component component) {
        switch (component.presence()) {
            case REST -> rest(component);
            case CHANGE -> change(component);
            case NULLABLE -> setter(component, nullable(component), "this." + component.name() + " = value;");
            default -> {
                if (isHeld(component)) {
                    collection(component);
                } else {
                    setter(component, component.type(out), "this." + component.name() + " = value;");
                }
            }
        }
    }

    private void rest(Component component) {
        method("Sets the extension data.", "@param value extension data of the implementations");
        out.open("public " + builder + " meta(" + out.schema("Meta") + " value)");
        out.line("this.rest = this.rest.withMeta(value);");
        end();
        setter(component, component.type(out), "this.rest = value;");
    }

    private void mark(Component component) {
        if (component.unstable()) {
            out.line("@" + out.schema("Unstable"));
        }
    }

    private void setter(Component component, String type, String... statements) {
        method("Sets {@code " + component.name() + "}.", parameter("value", component));
        mark(component);
        out.open("public " + builder + " " + component.name() + "(" + type + " value)");
        for (String statement : statements) {
            out.line(statement);
        }
        end();
    }

    private void collection(Component component) {
        String name = component.name();
        // Copied first: the argument may be a view of the builder's own collection.
        String copy = component.isList() ? out.list() + ".copyOf(value)" : out.support("MapCodec") + ".copyOf(value)";
        setter(
                component,
                component.type(out),
                component.type(out) + " values = " + copy + ";",
                "this." + name + ".clear();",
                "this." + name + (component.isList() ? ".addAll(values);" : ".putAll(values);"));
        if (component.shape() instanceof Shape.ListOf list) {
            String item = list.items().type(out);
            method("Adds to {@code " + name + "}.", "@param item the item");
            mark(component);
            out.open("public " + builder + " add" + one(component) + "(" + item + " item)");
            out.line("this." + name + ".add(item);");
            end();
        } else if (component.shape() instanceof Shape.MapOf map) {
            method("Adds to {@code " + name + "}.", "@param key the key\n@param value the value");
            mark(component);
            out.open("public " + builder + " put" + one(component) + "(String key, "
                    + map.values().type(out) + " value)");
            out.line("this." + name + ".put(key, value);");
            end();
        }
    }

    private void change(Component component) {
        String name = component.name();
        setter(component, component.shape().type(out), "this." + name + " = Change.replace(value);");
        method("Sets the change of {@code " + name + "}.", "@param change keep, clear or replace");
        mark(component);
        out.open("public " + builder + " " + name + "(" + component.type(out) + " change)");
        out.line("this." + name + " = change;");
        end();
        method("Clears {@code " + name + "}.", "");
        mark(component);
        out.open("public " + builder + " clear" + TypeName.capitalized(name) + "()");
        out.line("this." + name + " = Change.clear();");
        end();
        if (component.shape() instanceof Shape.ListOf list) {
            String item = list.items().type(out);
            String items = list.type(out);
            method("Adds to the list that replaces {@code " + name + "}.", "@param item the item");
            mark(component);
            out.open("public " + builder + " add" + one(component) + "(" + item + " item)");
            out.line(items + " items = new " + out.type("java.util", "ArrayList") + "<>();");
            out.open("if (this." + name + " instanceof Change.Replace<" + items + "> replace)");
            out.line("items.addAll(replace.value());").close();
            out.line("items.add(item);");
            out.line("this." + name + " = Change.replace(items);");
            end();
        }
    }

    private void method(String sentence, String parameters) {
        String text = parameters.isEmpty() ? sentence : sentence + "\n\n" + parameters;
        out.blank().javadoc(text + (parameters.isEmpty() ? "\n\n" : "\n") + "@return this builder");
    }

    private static String parameter(String name, Component component) {
        String text = component.documentation().isEmpty() ? "the new value" : component.documentation();
        return "@param " + name + " " + text;
    }

    private void end() {
        out.line("return this;").close();
    }

    private void build() {
        List<String> arguments =
                model.components().stream().map(Component::name).toList();
        out.blank().javadoc("Returns the record.\n\n@return the record with the values set");
        out.open("public " + record + " build()");
        out.call("return new " + record + "(", arguments, ");");
        out.close().close();
    }

    private String nullable(Component component) {
        String mark = "@" + out.type("org.jspecify.annotations", "Nullable");
        String type = component.type(out);
        // A type annotation stands before the last name: ContentBlock.@Nullable Text.
        int dot = type.lastIndexOf('.');
        return dot < 0 ? mark + " " + type : type.substring(0, dot + 1) + mark + " " + type.substring(dot + 1);
    }

    private static String one(Component component) {
        return TypeName.capitalized(TypeName.singular(component.name()));
    }
}
