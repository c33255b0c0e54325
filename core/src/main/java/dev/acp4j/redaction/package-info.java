/**
 * Secrets taken out of what leaves a program: traces, reports of failures, error messages, the log. All of them use one
 * {@link dev.acp4j.redaction.Redaction}, so a secret that one place knows is hidden in all.
 */
@NullMarked
package dev.acp4j.redaction;

import org.jspecify.annotations.NullMarked;
