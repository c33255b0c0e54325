package dev.acp4j.bench;

import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** The benchmarks of JMH: codecs, envelopes, dispatch. */
record MicroBenchmarks(Scale scale) implements Workload {
    @Override
    public String name() {
        return "jmh";
    }

    @Override
    public List<Subject> subjects() {
        return List.of(new Subject(Subject.ACP4J_PLAIN, List.of("java")));
    }

    @Override
    public int rounds() {
        return 1;
    }

    @Override
    public void measure(Subject subject, Sheet sheet) throws Exception {
        boolean brief = scale.isBrief();
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .include("dev.acp4j.*Benchmark")
                        .forks(brief ? 0 : 2)
                        .warmupIterations(brief ? 0 : 3)
                        .measurementIterations(brief ? 1 : 4)
                        .warmupTime(TimeValue.seconds(1))
                        .measurementTime(brief ? TimeValue.milliseconds(50) : TimeValue.seconds(1))
                        // JMH itself uses what the JVM warns of.
                        .jvmArgsAppend("--sun-misc-unsafe-memory-access=allow")
                        .addProfiler("gc")
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run();
        for (RunResult result : results) {
            String name = result.getPrimaryResult().getLabel();
            result.getBenchmarkResults()
                    .forEach(fork -> fork.getIterationResults()
                            .forEach(iteration -> sheet.write(
                                    name + ", ns", iteration.getPrimaryResult().getScore())));
            var allocated = result.getSecondaryResults().get("gc.alloc.rate.norm");
            if (allocated != null) {
                sheet.write(name + ", bytes allocated", allocated.getScore());
            }
        }
    }
}
