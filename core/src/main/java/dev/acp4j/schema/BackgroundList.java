package dev.acp4j.schema;

import dev.acp4j.schema.codec.In;
import java.util.List;

/**
 * All that goes on in a session beside the work that it is at.
 *
 * @param items the pieces of work, none when nothing goes on
 */
@In(2)
@Unstable
public record BackgroundList(List<BackgroundWork> items) {
    public BackgroundList {
        items = List.copyOf(items);
    }
}
