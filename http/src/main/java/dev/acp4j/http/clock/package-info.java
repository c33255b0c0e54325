/** What happens once a second in servers and gateways. Not exported. */
@NullMarked
package dev.acp4j.http.clock;

import org.jspecify.annotations.NullMarked;
