/**
 * Hosting of agents that speak over standard input and output: {@link dev.acp4j.http.gateway.Gateway} gives the clients
 * of a {@link dev.acp4j.http.HttpServer} their processes.
 */
@NullMarked
package dev.acp4j.http.gateway;

import org.jspecify.annotations.NullMarked;
