/**
 * Tests of agents and clients without a network, a model or a wait. {@link dev.acp4j.testkit.Transports} joins two ends
 * in memory and remembers the wire; {@link dev.acp4j.testkit.ScriptedPeer} plays one end by hand;
 * {@link dev.acp4j.testkit.TestAgent} is an agent that does what the prompt says; {@link dev.acp4j.testkit.FakeTime} is
 * a clock that the test turns; {@link dev.acp4j.testkit.LeakRule} fails a test that leaves something running;
 * {@link dev.acp4j.testkit.Misbehaviour} lists what bad peers do.
 */
@NullMarked
package dev.acp4j.testkit;

import org.jspecify.annotations.NullMarked;
