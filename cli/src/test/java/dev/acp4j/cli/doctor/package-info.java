@NullMarked
package dev.acp4j.cli.doctor;

import org.jspecify.annotations.NullMarked;
