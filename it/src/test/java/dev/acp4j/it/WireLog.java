package dev.acp4j.it;

import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Time;
import dev.acp4j.schema.Version;
import dev.acp4j.trace.TraceEvent;
import dev.acp4j.trace.Tracer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What both sides of a connection with the TypeScript SDK have sent, to be held against the schemas that the SDK brings
 * along.
 *
 * @param messages one a line, {@code -->} from the client and {@code <--} from the agent
 */
record WireLog(List<String> messages) {
    private static final Pattern KIND = Pattern.compile("\"sessionUpdate\":\"(\\w+)\"");

    /** Returns the schemas of a version. */
    static OfficialSchema schema(Version version) throws IOException {
        return OfficialSchema.in(NodePrograms.sdk().resolve("schema/v" + version.number()));
    }

    /** Returns what is wrong, each with its message. */
    List<String> faults(OfficialSchema schema) {
        List<String> faults = new ArrayList<>();
        Tracer events = new Tracer(event -> addFaults(schema, event, faults), Redaction.NONE, Time.SYSTEM);
        for (String line : messages) {
            boolean isOfClient = line.startsWith("-->");
            events.message(
                    isOfClient ? "client" : "agent",
                    isOfClient ? "agent" : "client",
                    Message.parse(line.substring(3).strip()));
        }
        return faults;
    }

    private static void addFaults(OfficialSchema schema, TraceEvent event, List<String> faults) {
        for (String fault : schema.judge(event).faults()) {
            faults.add(fault + "\n    in " + event);
        }
    }

    /** Returns the kinds of updates that the agent has sent. */
    Set<String> updates() {
        Set<String> kinds = new TreeSet<>();
        for (String line : messages) {
            Matcher kind = KIND.matcher(line);
            if (line.startsWith("<--") && kind.find()) {
                kinds.add(kind.group(1));
            }
        }
        return kinds;
    }
}
