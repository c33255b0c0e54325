/**
 * The types of the Agent Client Protocol, version 1, and those that version 2 shares with it: records for objects,
 * sealed interfaces for unions, a record around the wire value for string sets and ids.
 *
 * <p>Requests, responses and notifications are found through the catalogues of methods, which carry how each is read
 * and written.
 */
@NullMarked
package dev.acp4j.schema;

import org.jspecify.annotations.NullMarked;
