package dev.acp4j.proxies;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.Hop;
import dev.acp4j.proxy.Neighbour;
import dev.acp4j.proxy.NotificationHop;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RequestHop;
import dev.acp4j.proxy.SessionState;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** {@code models} with {@code session/set_model}, and the config option of the category model. */
final class ModelDialect {
    private static final Set<String> SETUPS = Set.of("session/new", "session/load", "session/resume", "session/fork");
    private static final String OPTION = "model";

    private final Map<Key, Models> sessions = new ConcurrentHashMap<>();
    private final SessionState<Key> open = SessionState.of(
            opening -> new Key(opening.client(), opening.session().value()), sessions::remove);

    private record Key(Neighbour client, String session) {}

    void addTo(Proxy.Builder proxy) {
        proxy.state(open)
                .onRequests(Method.Side.AGENT, SETUPS::contains, this::open)
                .onRequests(Method.Side.AGENT, "session/set_config_option"::equals, this::setOption)
                .onRequests(Method.Side.AGENT, "session/set_model"::equals, this::setModel)
                .onNotifications(Method.Side.CLIENT, "session/update"::equals, this::update);
    }

    private @Nullable Models of(Hop hop) {
        return sessions.get(
                new Key(hop.client(), hop.session().map(Object::toString).orElse("")));
    }

    private Answer<RawJson> open(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        Answer<RawJson> answer = hop.forward();
        if (answer.isError() || hop.version() != Version.V1) {
            return answer;
        }
        JsonMembers result = JsonMembers.of(answer.result());
        boolean hasModels = !result.object("models").list("availableModels").isEmpty();
        List<RawJson> options = result.list("configOptions");
        JsonMembers option = options.stream()
                .map(JsonMembers::of)
                .filter(each -> each.text("category").equals(OPTION)
                        && each.text("type").equals("select"))
                .findFirst()
                .orElse(null);
        if (hasModels == (option != null)) {
            return answer;
        }
        String named = result.text("sessionId");
        String session = named.isEmpty() ? JsonMembers.of(params).text("sessionId") : named;
        Models models = option == null ? Models.ofAgent(result.object("models"), options) : Models.ofOption(option);
        sessions.put(new Key(hop.client(), session), models);
        return answer.with(
                option == null
                        ? result.with("configOptions", models.options()).json()
                        : result.with("models", models.models()).json());
    }

    /** Sets the option, which is a model of the agent. */
    private Answer<RawJson> setOption(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        Models models = of(hop);
        if (models == null || models.option != null) {
            return hop.forward();
        }
        JsonMembers set = JsonMembers.of(params);
        if (!set.text("configId").equals(OPTION)) {
            Answer<RawJson> answer = hop.forward();
            if (answer.isError()) {
                return answer;
            }
            JsonMembers result = JsonMembers.of(answer.result());
            models.others(result.list("configOptions"));
            return answer.with(result.with("configOptions", models.options()).json());
        }
        String model = set.text("value");
        RawJson unused = asked(
                hop,
                "session/set_model",
                new JsonMembers(Map.of())
                        .with("sessionId", RawJson.string(set.text("sessionId")))
                        .with("modelId", RawJson.string(model))
                        .json());
        models.current(model);
        return hop.answer(new JsonMembers(Map.of())
                .with("configOptions", models.options())
                .json());
    }

    /** Sets the model, which is an option of the agent. */
    private Answer<RawJson> setModel(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        Models models = of(hop);
        if (models == null || models.option == null) {
            return hop.forward();
        }
        JsonMembers set = JsonMembers.of(params);
        RawJson unused = asked(
                hop,
                "session/set_config_option",
                new JsonMembers(Map.of())
                        .with("sessionId", RawJson.string(set.text("sessionId")))
                        .with("configId", RawJson.string(models.option))
                        .with("value", RawJson.string(set.text("modelId")))
                        .json());
        return hop.answer(RawJson.EMPTY_OBJECT);
    }

    /** Asks the agent; an error of it is the answer. */
    static RawJson asked(Hop hop, String method, RawJson params) throws InterruptedException {
        try {
            return hop.agent().call(method, params);
        } catch (RpcError e) {
            throw e.asAnswer();
        }
    }

    /** Adds the option to the options that the agent reports: they are all of them. */
    private void update(RawJson params, NotificationHop<RawJson> hop) throws InterruptedException {
        Models models = of(hop);
        JsonMembers said = JsonMembers.of(params);
        JsonMembers update = said.object("update");
        if (models == null
                || models.option != null
                || !update.text("sessionUpdate").equals("config_option_update")) {
            hop.forward();
            return;
        }
        models.others(update.list("configOptions"));
        hop.forward(said.with(
                        "update", update.with("configOptions", models.options()).json())
                .json());
    }

    /** The models of a session. The lock guards what changes. */
    private static final class Models {
        private final ReentrantLock lock = new ReentrantLock();

        /** The option of the agent; null if it has {@code models}. */
        private final @Nullable String option;

        /** Each with id, name and perhaps a description. */
        private final List<JsonMembers> all;

        @GuardedBy("lock")
        private String current;

        /** The agent's own options. */
        @GuardedBy("lock")
        private List<RawJson> others;

        private Models(@Nullable String option, List<JsonMembers> all, String current, List<RawJson> others) {
            this.option = option;
            this.all = List.copyOf(all);
            this.current = current;
            this.others = copies(others);
        }

        static Models ofAgent(JsonMembers models, List<RawJson> others) {
            List<JsonMembers> all = new ArrayList<>();
            for (RawJson each : models.list("availableModels")) {
                JsonMembers model = JsonMembers.of(each.copy());
                all.add(model(model.raw("modelId"), model.raw("name"), model.raw("description")));
            }
            return new Models(null, all, models.text("currentModelId"), others);
        }

        static Models ofOption(JsonMembers option) {
            List<JsonMembers> all = new ArrayList<>();
            for (RawJson each : option.list("options")) {
                JsonMembers value = JsonMembers.of(each.copy());
                List<RawJson> group = value.list("options");
                for (RawJson one : group.isEmpty() ? List.of(each) : group) {
                    JsonMembers model = JsonMembers.of(one.copy());
                    all.add(model(model.raw("value"), model.raw("name"), model.raw("description")));
                }
            }
            return new Models(option.text("id"), all, option.text("currentValue"), List.of());
        }

        private static JsonMembers model(@Nullable RawJson id, @Nullable RawJson name, @Nullable RawJson description) {
            Map<String, RawJson> members = new LinkedHashMap<>();
            RawJson known = id == null ? RawJson.string("") : id;
            members.put("id", known);
            members.put("name", name == null ? known : name);
            if (description != null) {
                members.put("description", description);
            }
            return new JsonMembers(members);
        }

        private static List<RawJson> copies(List<RawJson> of) {
            return of.stream().map(RawJson::copy).toList();
        }

        void current(String model) {
            lock.lock();
            try {
                current = model;
            } finally {
                lock.unlock();
            }
        }

        void others(List<RawJson> options) {
            lock.lock();
            try {
                others = copies(options);
            } finally {
                lock.unlock();
            }
        }

        /** Returns the options of the agent, and the models as one more. */
        RawJson options() {
            lock.lock();
            try {
                List<RawJson> options = new ArrayList<>(others);
                options.add(new JsonMembers(Map.of())
                        .with("id", RawJson.string(OPTION))
                        .with("name", RawJson.string("Model"))
                        .with("category", RawJson.string(OPTION))
                        .with("type", RawJson.string("select"))
                        .with("currentValue", RawJson.string(current))
                        .with("options", named("value"))
                        .json());
                return JsonMembers.array(options);
            } finally {
                lock.unlock();
            }
        }

        RawJson models() {
            lock.lock();
            try {
                return new JsonMembers(Map.of())
                        .with("availableModels", named("modelId"))
                        .with("currentModelId", RawJson.string(current))
                        .json();
            } finally {
                lock.unlock();
            }
        }

        private RawJson named(String id) {
            List<RawJson> models = new ArrayList<>();
            for (JsonMembers model : all) {
                Map<String, RawJson> members = new LinkedHashMap<>();
                model.all().forEach((name, value) -> members.put(name.equals("id") ? id : name, value));
                models.add(new JsonMembers(members).json());
            }
            return JsonMembers.array(models);
        }
    }
}
