package dev.acp4j.proxies;

import dev.acp4j.json.JsonReader;
import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a model may leave out when it calls a tool of {@link ClientTools}; its schema was checked.
 *
 * @param line the first line; null for the beginning
 * @param limit how many lines; null for all
 * @param cwd the folder; null for that of the session
 */
record Arguments(
        @Nullable Long line, @Nullable Long limit, @Nullable String cwd, List<String> args) {
    static Arguments of(RawJson object) {
        Long line = null;
        Long limit = null;
        String cwd = null;
        List<String> args = new ArrayList<>();
        JsonReader in = object.reader();
        in.beginObject();
        while (in.nextMember()) {
            switch (in.name()) {
                case "line" -> line = in.int64();
                case "limit" -> limit = in.int64();
                case "cwd" -> cwd = in.string();
                case "args" -> {
                    in.beginArray();
                    while (in.nextElement()) {
                        args.add(in.string());
                    }
                }
                default -> in.skip();
            }
        }
        return new Arguments(line, limit, cwd, List.copyOf(args));
    }
}
