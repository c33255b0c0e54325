@NullMarked
package dev.acp4j.cli.session;

import org.jspecify.annotations.NullMarked;
