@NullMarked
package dev.acp4j.cli.markdown;

import org.jspecify.annotations.NullMarked;
