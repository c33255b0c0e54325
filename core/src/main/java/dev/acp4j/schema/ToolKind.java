package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What sort of work a tool does. Clients choose an icon by it and how to show the progress; it grants nothing.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#creating">Tool calls</a>
 */
@StringValue
public record ToolKind(String value) {
    /** Reads files or other data. */
    public static final ToolKind READ = new ToolKind("read");

    /** Changes the content of files. */
    public static final ToolKind EDIT = new ToolKind("edit");

    /** Removes files or other data. */
    public static final ToolKind DELETE = new ToolKind("delete");

    /** Moves or renames files. */
    public static final ToolKind MOVE = new ToolKind("move");

    /** Looks for something. */
    public static final ToolKind SEARCH = new ToolKind("search");

    /** Runs a command or a program. */
    public static final ToolKind EXECUTE = new ToolKind("execute");

    /** Reasons or plans, without effect outside the agent. */
    public static final ToolKind THINK = new ToolKind("think");

    /** Gets data from outside, such as the web. */
    public static final ToolKind FETCH = new ToolKind("fetch");

    /** Puts the session into another mode. */
    public static final ToolKind SWITCH_MODE = new ToolKind("switch_mode");

    /** Anything else. A tool call that names no kind is of this one. */
    public static final ToolKind OTHER = new ToolKind("other");

    /** The values to switch over. */
    public enum Known {
        /** {@link ToolKind#READ}. */
        READ,
        /** {@link ToolKind#EDIT}. */
        EDIT,
        /** {@link ToolKind#DELETE}. */
        DELETE,
        /** {@link ToolKind#MOVE}. */
        MOVE,
        /** {@link ToolKind#SEARCH}. */
        SEARCH,
        /** {@link ToolKind#EXECUTE}. */
        EXECUTE,
        /** {@link ToolKind#THINK}. */
        THINK,
        /** {@link ToolKind#FETCH}. */
        FETCH,
        /** {@link ToolKind#SWITCH_MODE}. */
        SWITCH_MODE,
        /** {@link ToolKind#OTHER}. */
        OTHER,
        /** Any other value; {@link ToolKind#value()} has it. */
        UNRECOGNIZED
    }

    public ToolKind {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static ToolKind of(String value) {
        return new ToolKind(value);
    }

    /** Returns which of the constants this is. */
    public Known known() {
        return switch (value) {
            case "read" -> Known.READ;
            case "edit" -> Known.EDIT;
            case "delete" -> Known.DELETE;
            case "move" -> Known.MOVE;
            case "search" -> Known.SEARCH;
            case "execute" -> Known.EXECUTE;
            case "think" -> Known.THINK;
            case "fetch" -> Known.FETCH;
            case "switch_mode" -> Known.SWITCH_MODE;
            case "other" -> Known.OTHER;
            default -> Known.UNRECOGNIZED;
        };
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ToolKind that && value.equals(that.value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    /** Returns the text on the wire. */
    @Override
    public String toString() {
        return value;
    }
}
