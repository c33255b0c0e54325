@NullMarked
package dev.acp4j.cli.agent;

import org.jspecify.annotations.NullMarked;
