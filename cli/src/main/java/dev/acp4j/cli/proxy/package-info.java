/** {@code acp proxy}, and the ready-made proxies by name. */
@NullMarked
package dev.acp4j.cli.proxy;

import org.jspecify.annotations.NullMarked;
