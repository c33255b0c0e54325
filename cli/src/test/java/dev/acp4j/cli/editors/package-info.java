@NullMarked
package dev.acp4j.cli.editors;

import org.jspecify.annotations.NullMarked;
