/** What agents ask the user beside permissions: forms to fill in, and pages to visit. */
@NullMarked
package dev.acp4j.cli.elicitation;

import org.jspecify.annotations.NullMarked;
