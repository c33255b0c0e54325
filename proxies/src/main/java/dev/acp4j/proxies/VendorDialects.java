package dev.acp4j.proxies;

import dev.acp4j.proxy.Proxy;
import dev.acp4j.schema.Unstable;

/**
 * Makes what some agents and clients speak beside the protocol standard for the other side.
 *
 * <pre>{@code
 * Proxy plain = VendorDialects.builder().terminals().models().build();
 * }</pre>
 *
 * <p>Each adaptation has a switch, does nothing where both sides speak the same, and touches nothing else.
 */
@Unstable
public final class VendorDialects {
    private VendorDialects() {}

    /** Returns a proxy with all adaptations. */
    public static Proxy all() {
        return builder().terminals().models().steering().build();
    }

    /** Begins a proxy that adapts nothing yet. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds a proxy that adapts dialects. */
    public static final class Builder {
        private boolean terminals;
        private boolean models;
        private boolean steering;

        private Builder() {}

        /**
         * The output of commands that an agent puts into {@code _meta} of a tool call becomes its content, as text, for
         * a client that does not announce that it shows this. Of a long output the end is shown. In version 1.
         */
        public Builder terminals() {
            terminals = true;
            return this;
        }

        /**
         * The {@code models} of an agent become a config option of the category model, and setting that becomes
         * {@code session/set_model}; and the reverse, for clients that know {@code models} only. In version 1.
         */
        public Builder models() {
            models = true;
            return this;
        }

        /**
         * In version 2, where a prompt to a running session is the draft's way to steer it: such a prompt becomes
         * {@code _session/steering} for agents that offer only that, and the reverse. In version 1 there is one way.
         */
        public Builder steering() {
            steering = true;
            return this;
        }

        /**
         * Builds the proxy.
         *
         * @throws IllegalStateException when it adapts nothing
         */
        public Proxy build() {
            if (!terminals && !models && !steering) {
                throw new IllegalStateException("there is nothing to adapt");
            }
            Proxy.Builder proxy = Proxy.builder("dialects", "1");
            if (terminals) {
                new TerminalDialect().addTo(proxy);
            }
            if (models) {
                new ModelDialect().addTo(proxy);
            }
            if (steering) {
                new SteeringDialect().addTo(proxy);
            }
            return proxy.build();
        }
    }
}
