package dev.acp4j.schema;

import java.util.List;

/**
 * The kind of work a tool does. Clients use it to choose an icon and the presentation of progress; it grants no
 * permission.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#creating">Tool calls</a>
 */
public final class ToolKind extends StringValue {
    /** Reads files or other data. */
    public static final ToolKind READ = new ToolKind("read");

    /** Changes the content of files. */
    public static final ToolKind EDIT = new ToolKind("edit");

    /** Removes files or other data. */
    public static final ToolKind DELETE = new ToolKind("delete");

    /** Moves or renames files. */
    public static final ToolKind MOVE = new ToolKind("move");

    /** Searches. */
    public static final ToolKind SEARCH = new ToolKind("search");

    /** Runs a command or a program. */
    public static final ToolKind EXECUTE = new ToolKind("execute");

    /** Reasons or plans, without effect outside the agent. */
    public static final ToolKind THINK = new ToolKind("think");

    /** Gets data from outside, such as the web. */
    public static final ToolKind FETCH = new ToolKind("fetch");

    /** Changes the mode of the session. */
    public static final ToolKind SWITCH_MODE = new ToolKind("switch_mode");

    /** Anything else. The default for a tool call without kind. */
    public static final ToolKind OTHER = new ToolKind("other");

    private ToolKind(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static ToolKind of(String value) {
        return new ToolKind(value);
    }

    /** Returns the constants. */
    public static List<ToolKind> known() {
        return StringValueCodec.TOOL_KIND.known();
    }
}
