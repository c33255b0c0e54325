/**
 * JSON reading and writing for this library: values are decoded on demand.
 *
 * <ul>
 *   <li>{@link dev.acp4j.json.RawJson}: one value as a slice of UTF-8, not decoded. It can be stored, compared and
 *       forwarded unchanged.
 *   <li>{@link dev.acp4j.json.JsonReader}: a cursor over such a slice. It checks the text it passes and can go back.
 *   <li>{@link dev.acp4j.json.JsonWriter}: writes one value as one line of UTF-8.
 *   <li>{@link dev.acp4j.json.Codec}: reads and writes one Java type. No reflection is used.
 *   <li>{@link dev.acp4j.json.JsonValue}: a tree of records, for exploring JSON.
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
 * levels deep. When an object repeats a member, the last one counts. An unpaired {@code \}{@code ud800} is accepted and
 * kept as that {@code char}; writing produces the same escape.
 */
@NullMarked
package dev.acp4j.json;

import org.jspecify.annotations.NullMarked;
