@NullMarked
package dev.acp4j.cli.agents;

import org.jspecify.annotations.NullMarked;
