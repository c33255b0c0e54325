package dev.acp4j.proxy;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * A component has answered a request, for the JDK's flight recorder. While it does not record this costs next to
 * nothing.
 */
@Name("dev.acp4j.ComponentAnswered")
@Label("Component Answered")
@Category("acp4j")
@StackTrace(false)
final class ComponentFlightEvent extends Event {
    @Label("Component")
    String component = "";

    @Label("Method")
    String method = "";

    @Label("Time")
    @Timespan(Timespan.NANOSECONDS)
    long time;

    @Label("Own Time")
    @Timespan(Timespan.NANOSECONDS)
    long own;

    /**
     * Commits the event.
     *
     * @param time how long the request was inside the component
     * @param own the same without the time in which it waited for others
     */
    static void commit(String component, String method, long time, long own) {
        ComponentFlightEvent event = new ComponentFlightEvent();
        if (event.isEnabled()) {
            event.component = component;
            event.method = method;
            event.time = time;
            event.own = own;
            event.commit();
        }
    }
}
