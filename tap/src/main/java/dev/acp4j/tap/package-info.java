/** Shared support for the tests of all modules, independent of the modules. */
@NullMarked
package dev.acp4j.tap;

import org.jspecify.annotations.NullMarked;
