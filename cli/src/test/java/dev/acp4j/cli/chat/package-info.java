@NullMarked
package dev.acp4j.cli.chat;

import org.jspecify.annotations.NullMarked;
