/**
 * What an annotation processor, {@code acp4j-codegen}, needs to write the codecs of records: marks for the records, and
 * what the codecs call. The types of the protocol are made with it, and so can be those of extensions.
 *
 * <p>{@link dev.acp4j.schema.codec.Codable} asks for a codec: {@code Review} gets a {@code ReviewCodec}, as visible as
 * itself, with a constant {@code INSTANCE}. A component is a member of the object, required unless it is marked:
 * {@code @Nullable}, {@link dev.acp4j.schema.codec.OptionalMember}, {@link dev.acp4j.schema.codec.DefaultTo}, or of
 * type {@link dev.acp4j.schema.Change}. A last component {@code Rest rest} keeps what is not known.
 * {@link dev.acp4j.schema.codec.Tagged} makes a union of a sealed interface.
 */
@NullMarked
package dev.acp4j.schema.codec;

import org.jspecify.annotations.NullMarked;
