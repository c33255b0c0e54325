/**
 * Tests of agents and clients without a network, a model or delays. {@link dev.acp4j.testkit.Transports} joins two ends
 * in memory and records the wire; {@link dev.acp4j.testkit.ScriptedPeer} is one end scripted by the test;
 * {@link dev.acp4j.testkit.TestAgent} is an agent scripted by the prompt; {@link dev.acp4j.testkit.FakeTime} is a clock
 * that the test advances; {@link dev.acp4j.testkit.LeakRule} fails a test that leaks resources;
 * {@link dev.acp4j.testkit.Misbehaviour} lists the misbehaviours of bad peers.
 */
@NullMarked
package dev.acp4j.testkit;

import org.jspecify.annotations.NullMarked;
