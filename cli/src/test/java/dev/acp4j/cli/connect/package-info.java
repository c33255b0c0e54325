@NullMarked
package dev.acp4j.cli.connect;

import org.jspecify.annotations.NullMarked;
