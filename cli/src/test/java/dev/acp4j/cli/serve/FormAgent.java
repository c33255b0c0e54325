package dev.acp4j.cli.serve;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.Stdio;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationId;
import dev.acp4j.schema.ElicitationScope;
import dev.acp4j.schema.StopReason;
import java.util.TreeMap;

/**
 * An agent as a program that asks for input with a field of each kind, or to visit the address that it is prompted
 * with, and says what it was given.
 */
public final class FormAgent {
    private static final String SCHEMA = """
            {"type":"object","title":"Release <b>the</b> library","description":"Filled in <img src=x onerror=alert(1)> once.",
             "properties":{
              "version":{"type":"string","title":"Version","minLength":3,"maxLength":20,"default":"0.1.0",
               "description":"Three <b>numbers</b>."},
              "mail":{"type":"string","format":"email","title":"Who is notified"},
              "notes":{"type":"string","title":"Notes","maxLength":3000000000},
              "level":{"type":"string","title":"Level","oneOf":[
               {"const":"patch","title":"<b>Patch</b>","description":"Only what was <b>wrong</b>."},
               {"const":"minor","title":"Minor","description":"New things, too."}]},
              "modules":{"type":"array","title":"Modules","minItems":1,"items":{"type":"string","enum":["core","http","cli"]},
               "default":["core"]},
              "retries":{"type":"integer","title":"Retries","minimum":0,"maximum":5,"default":2},
              "share":{"type":"number","title":"Share of users","minimum":0,"maximum":1},
              "sign":{"type":"boolean","title":"Sign it","default":true}},
             "required":["version","level","modules","retries"]}
            """;

    private FormAgent() {}

    /** Serves on standard input and output. */
    public static void main(String[] args) throws Exception {
        Agent.builder("form-agent", "1").onPrompt(FormAgent::ask).build().serve(Stdio.system());
    }

    private static StopReason ask(AgentTurn turn) throws InterruptedException {
        String address = turn.text();
        CreateElicitationRequest request = !address.equals("form")
                ? CreateElicitationRequest.url(
                        ElicitationScope.session(turn.sessionId()),
                        "Log in at the registry, then come back.",
                        ElicitationId.of("login-1"),
                        address)
                : RawJson.parse(
                                "{\"mode\":\"form\",\"message\":\"How is <img src=x onerror=alert(2)> this released?\",\"sessionId\":"
                                        + RawJson.string(turn.sessionId().value()) + ",\"requestedSchema\":" + SCHEMA
                                        + "}")
                        .decode(ClientMethods.CREATE_ELICITATION.params());
        CreateElicitationResponse answer = turn.elicit(request);
        turn.message(
                answer instanceof CreateElicitationResponse.Accept accept
                        ? String.valueOf(new TreeMap<>(accept.content()))
                        : answer.getClass().getSimpleName());
        return StopReason.END_TURN;
    }
}
