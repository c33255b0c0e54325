package dev.acp4j.schema;

import org.jspecify.annotations.Nullable;

/**
 * The error code of a response.
 *
 * @param value the number on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#errorcode">Error codes</a>
 */
public record ErrorCode(int value) {
    /** The received text is not JSON. */
    public static final ErrorCode PARSE_ERROR = new ErrorCode(-32700);

    /** The received JSON is not a request. */
    public static final ErrorCode INVALID_REQUEST = new ErrorCode(-32600);

    /** The method does not exist or is not available. */
    public static final ErrorCode METHOD_NOT_FOUND = new ErrorCode(-32601);

    /** The parameters are invalid for the method. */
    public static final ErrorCode INVALID_PARAMS = new ErrorCode(-32602);

    /** An internal error of the responding side. */
    public static final ErrorCode INTERNAL_ERROR = new ErrorCode(-32603);

    /** The request was abandoned: its sender cancelled it, or the other side is closing. */
    public static final ErrorCode REQUEST_CANCELLED = new ErrorCode(-32800);

    /** The client has to authenticate first. */
    public static final ErrorCode AUTH_REQUIRED = new ErrorCode(-32000);

    /** The resource does not exist, for instance a session or a file. */
    public static final ErrorCode RESOURCE_NOT_FOUND = new ErrorCode(-32002);

    /**
     * The two sides have no version of the protocol in common. Version 2 of the protocol sends this; version 1 does
     * not.
     */
    public static final ErrorCode UNSUPPORTED_PROTOCOL_VERSION = new ErrorCode(-32022);

    /** Returns the code with this number, which need not be one of the constants. */
    public static ErrorCode of(int value) {
        return new ErrorCode(value);
    }

    // Written by hand: generated methods of a record are linked at first use, which delays startup.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ErrorCode that && value == that.value;
    }

    @Override
    public int hashCode() {
        return value;
    }

    /** Returns the number on the wire. */
    @Override
    public String toString() {
        return Integer.toString(value);
    }
}
