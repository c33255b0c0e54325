@NullMarked
package dev.acp4j.http;

import org.jspecify.annotations.NullMarked;
