/**
 * Tests of proxies: {@link dev.acp4j.proxy.testkit.TestedProxy} puts one between a client and an agent that the test
 * scripts; {@link dev.acp4j.proxy.testkit.ProxyDifference} plays a recording through one and says what that changes;
 * {@link dev.acp4j.proxy.testkit.TransparentProxyContract} is what a proxy in any language must let pass.
 */
@NullMarked
package dev.acp4j.proxy.testkit;

import org.jspecify.annotations.NullMarked;
