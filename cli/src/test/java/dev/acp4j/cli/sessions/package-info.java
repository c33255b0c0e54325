@NullMarked
package dev.acp4j.cli.sessions;

import org.jspecify.annotations.NullMarked;
