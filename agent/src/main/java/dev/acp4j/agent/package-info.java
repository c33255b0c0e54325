/** An agent that needs no model and no key: it answers by searching the workspace and offers commands to work on it. */
@NullMarked
package dev.acp4j.agent;

import org.jspecify.annotations.NullMarked;
