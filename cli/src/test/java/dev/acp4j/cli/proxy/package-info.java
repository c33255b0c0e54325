@NullMarked
package dev.acp4j.cli.proxy;

import org.jspecify.annotations.NullMarked;
