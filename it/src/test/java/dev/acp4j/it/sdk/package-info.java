/** Agents and clients written with the official Java and Kotlin SDKs, as programs for tests. */
@NullMarked
package dev.acp4j.it.sdk;

import org.jspecify.annotations.NullMarked;
