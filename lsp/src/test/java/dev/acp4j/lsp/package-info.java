@NullMarked
package dev.acp4j.lsp;

import org.jspecify.annotations.NullMarked;
