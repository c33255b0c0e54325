/** The same agent and the same client, written with acp4j and with the Java SDK. */
@org.jspecify.annotations.NullMarked
package dev.acp4j.it.samework;
