/** {@code acp doctor}: tests an agent step by step and reports problems. */
@NullMarked
package dev.acp4j.cli.doctor;

import org.jspecify.annotations.NullMarked;
