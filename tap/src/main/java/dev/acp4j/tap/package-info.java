/** What the tests of all modules have in common, without needing any of them. */
@NullMarked
package dev.acp4j.tap;

import org.jspecify.annotations.NullMarked;
