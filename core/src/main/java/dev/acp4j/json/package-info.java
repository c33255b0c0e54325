/**
 * JSON as this library needs it: bytes stay bytes until somebody wants a value.
 *
 * <ul>
 *   <li>{@link dev.acp4j.json.RawJson}: one value as a slice of UTF-8, not decoded. It can be kept, compared and sent
 *       on as it came.
 *   <li>{@link dev.acp4j.json.JsonReader}: a cursor over such a slice. It checks what it passes and can go back.
 *   <li>{@link dev.acp4j.json.JsonWriter}: writes one value as one line of UTF-8.
 *   <li>{@link dev.acp4j.json.Codec}: how one Java type is read and written. No reflection anywhere.
 *   <li>{@link dev.acp4j.json.JsonValue}: a tree of records, for people who want to look around.
 * </ul>
 *
 * <pre>{@code
 * RawJson raw = RawJson.parse("{\"path\":\"/tmp/a\",\"line\":9007199254740993}");
 * if (raw.value() instanceof JsonObject object) {
 *     object.get("path");                  // Optional["/tmp/a"]
 * }
 * RawJson again = RawJson.of(raw.value()); // numbers keep their digits
 * }</pre>
 *
 * <p>The grammar is RFC 8259, strictly, in valid UTF-8; a byte order mark is not part of it. Values nest at most 256
 * levels deep. When an object repeats a member, the last one counts. A {@code \}{@code ud800} without its other half is
 * accepted and kept as that {@code char}; writing gives the same escape.
 */
@NullMarked
package dev.acp4j.json;

import org.jspecify.annotations.NullMarked;
