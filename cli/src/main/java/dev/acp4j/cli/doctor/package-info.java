/** {@code acp doctor}: tries an agent step by step and says what is wrong with it. */
@NullMarked
package dev.acp4j.cli.doctor;

import org.jspecify.annotations.NullMarked;
