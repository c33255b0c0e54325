/** acp4j against agents and clients of others. */
@NullMarked
package dev.acp4j.it;

import org.jspecify.annotations.NullMarked;
