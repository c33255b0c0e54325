/**
 * The types of the Agent Client Protocol, version 1, and those that version 2 shares with it: records for objects,
 * sealed interfaces for unions, a record around the wire value for string sets and ids.
 *
 * <p>Those to know first: {@link dev.acp4j.schema.ContentBlock}, of which prompts and messages consist;
 * {@link dev.acp4j.schema.SessionUpdate}, all that an agent reports; {@link dev.acp4j.schema.ToolCall} and
 * {@link dev.acp4j.schema.ToolCallUpdate}, what a tool does; {@link dev.acp4j.schema.RequestPermissionOutcome}, whether
 * it may; {@link dev.acp4j.schema.Meta}, what implementations add. Requests, responses and notifications are found
 * through the catalogues of methods, which carry how each is read and written. {@link dev.acp4j.schema.Codecs} gives
 * the codec of a single type.
 *
 * <h2>What is not there, not known or not right</h2>
 *
 * <ul>
 *   <li>A member that is absent and one that is null say the same, and read as null, an empty list or map, or the
 *       default that the component names. Where they differ, the component is a {@link dev.acp4j.schema.Change}.
 *   <li>What reads as absent is not written: no nulls, no empty optional lists and maps, no member left at its default.
 *       The exceptions are the {@code type} of a form and {@link dev.acp4j.schema.Change#clear()}, which is a null.
 *   <li>A variant of a union that is not known becomes its {@code Unknown}, which is written back as it came; an
 *       unknown value of a string set stays as it is. A known variant that is malformed is an error.
 *   <li>Members that the protocol marks as lenient read as absent when they are malformed, and lists so marked lose
 *       only the elements that are. Anything else that is malformed is a {@link dev.acp4j.json.JsonException}.
 *   <li>Members that are not known are kept in {@link dev.acp4j.schema.Rest}, and written again.
 * </ul>
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/overview">Overview of the protocol</a>
 */
@NullMarked
@CodecsClass
package dev.acp4j.schema;

import dev.acp4j.schema.codec.CodecsClass;
import org.jspecify.annotations.NullMarked;
