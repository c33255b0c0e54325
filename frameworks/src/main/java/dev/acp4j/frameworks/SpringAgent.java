package dev.acp4j.frameworks;

import dev.acp4j.Agent;
import dev.acp4j.Stdio;
import dev.acp4j.rpc.Transport;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Service;

/** An agent in a Spring Boot application. */
// recipe: spring
@SpringBootApplication
public class SpringAgent {
    public static void main(String[] args) throws InterruptedException {
        Transport stdio = Stdio.system(); // first: from now on the banner and the log go to standard error
        try (var context = SpringApplication.run(SpringAgent.class, args)) {
            context.getBean(Agent.class).serve(stdio);
        }
    }

    @Bean
    Agent agent(Answers answers) {
        return Agent.builder("spring", "1.0")
                .onPrompt(turn -> turn.message(answers.to(turn.text())))
                .build();
    }

    @Service
    static class Answers {
        String to(String question) {
            return "Spring says: " + question;
        }
    }
}
// end
