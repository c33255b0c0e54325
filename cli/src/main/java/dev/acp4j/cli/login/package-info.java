/** {@code acp login} and {@code acp logout}. */
@NullMarked
package dev.acp4j.cli.login;

import org.jspecify.annotations.NullMarked;
