/**
 * The types of the Agent Client Protocol, of version 1, of version 2, and of the drafts of both: records for objects,
 * sealed interfaces for unions, a record around the wire value for string sets and ids.
 *
 * <p>The most important types: {@link dev.acp4j.schema.ContentBlock}, the content of prompts and messages;
 * {@link dev.acp4j.schema.SessionUpdate}, the reports of an agent; {@link dev.acp4j.schema.ToolCall} and
 * {@link dev.acp4j.schema.ToolCallUpdate}, the use of tools; {@link dev.acp4j.schema.RequestPermissionOutcome}, the
 * permission for it; {@link dev.acp4j.schema.Meta}, the data of extensions. Requests, responses and notifications are
 * found through the catalogues of methods, which provide their codecs. {@link dev.acp4j.schema.Codecs} gives the codec
 * of a single type.
 *
 * <h2>Absent, unknown and malformed members</h2>
 *
 * <ul>
 *   <li>An absent member and a member that is null have the same meaning, and read as null, an empty list or map, or
 *       the default of the component. If the meanings differ, the component is a {@link dev.acp4j.schema.Change}.
 *   <li>Absent members are not written: no nulls, no empty optional lists and maps, no member with its default value.
 *       The exceptions are the {@code type} of a form and {@link dev.acp4j.schema.Change#clear()}, which is a null.
 *   <li>An unknown variant of a union is read as {@code Unknown}, which is written unchanged; an unknown value of a
 *       string set is kept. A malformed known variant is an error.
 *   <li>A malformed member that the protocol marks as lenient reads as absent; a lenient list loses only its malformed
 *       elements. Any other malformed member is a {@link dev.acp4j.json.JsonException}.
 *   <li>Unknown members are kept in {@link dev.acp4j.schema.Rest}, and written again.
 *   <li>What a draft adds to a stable object or union is read and written always. A malformed one is not an error: the
 *       member is unknown then, and kept in {@link dev.acp4j.schema.Rest}; the variant is read as {@code Unknown}.
 * </ul>
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/overview">Overview of the protocol</a>
 */
@NullMarked
@CodecsClass
package dev.acp4j.schema;

import dev.acp4j.schema.codec.CodecsClass;
import org.jspecify.annotations.NullMarked;
