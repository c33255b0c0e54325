@NullMarked
package dev.acp4j.cli.prompt;

import org.jspecify.annotations.NullMarked;
