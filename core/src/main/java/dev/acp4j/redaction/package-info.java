/**
 * Redaction of secrets in the output of a program: traces, failure reports, error messages, the log. All of them use
 * one {@link dev.acp4j.redaction.Redaction}, so a secret known in one place is hidden in all.
 */
@NullMarked
package dev.acp4j.redaction;

import org.jspecify.annotations.NullMarked;
