package dev.acp4j.testkit;

import dev.acp4j.process.Launch;
import dev.acp4j.rpc.Transport;
import java.time.Duration;

/** A process that sends back what it reads. */
class ProcessTransportTest extends TransportContract {
    @Override
    protected Ends open() throws Exception {
        Transport transport = Launch.of("cat")
                .shutdownTimes(Duration.ofMillis(200), Duration.ofMillis(200))
                .start()
                .transport();
        return new Ends(transport, transport);
    }
}
