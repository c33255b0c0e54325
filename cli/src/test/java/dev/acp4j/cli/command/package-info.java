@NullMarked
package dev.acp4j.cli.command;

import org.jspecify.annotations.NullMarked;
