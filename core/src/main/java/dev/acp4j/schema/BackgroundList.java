package dev.acp4j.schema;

import dev.acp4j.schema.codec.In;
import java.util.List;

/**
 * The background work of a session.
 *
 * @param items the pieces of work, possibly none
 */
@In(2)
@Unstable
public record BackgroundList(List<BackgroundWork> items) {
    public BackgroundList {
        items = List.copyOf(items);
    }
}
