@NullMarked
package dev.acp4j.cli.elicitation;

import org.jspecify.annotations.NullMarked;
