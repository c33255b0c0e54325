/**
 * Annotations for records and runtime support for the codecs that an annotation processor, {@code acp4j-codegen},
 * generates. The types of the protocol use it, and types of extensions can.
 *
 * <p>{@link dev.acp4j.schema.codec.Codable} requests a codec: {@code Review} gets a {@code ReviewCodec} of the same
 * visibility, with a constant {@code INSTANCE}. A component is a member of the object, required unless it is marked:
 * {@code @Nullable}, {@link dev.acp4j.schema.codec.OptionalMember}, {@link dev.acp4j.schema.codec.DefaultTo}, or of
 * type {@link dev.acp4j.schema.Change}. A last component {@code Rest rest} keeps unknown members.
 * {@link dev.acp4j.schema.codec.Tagged} declares a sealed interface as a union.
 */
@NullMarked
package dev.acp4j.schema.codec;

import org.jspecify.annotations.NullMarked;
