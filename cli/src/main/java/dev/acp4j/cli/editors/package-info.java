/** {@code acp install-into} and {@code acp uninstall-from}: agents in the settings of editors. */
@NullMarked
package dev.acp4j.cli.editors;

import org.jspecify.annotations.NullMarked;
