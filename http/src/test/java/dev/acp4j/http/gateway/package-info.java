@NullMarked
package dev.acp4j.http.gateway;

import org.jspecify.annotations.NullMarked;
