/** Benchmarks of parts, for JMH. */
@NullMarked
package dev.acp4j.bench.jmh;

import org.jspecify.annotations.NullMarked;
