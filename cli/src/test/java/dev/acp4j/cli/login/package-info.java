@NullMarked
package dev.acp4j.cli.login;

import org.jspecify.annotations.NullMarked;
