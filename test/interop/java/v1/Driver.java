// The client of the Java SDK 1.0.0.Alpha3 on one binding: Driver <url> <binding> [<token>].
// It answers calls of the runner, one JSON object a line: {"operation", "args"} by {"value"} or {"error"}.

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.ToNumberPolicy;
import io.a2a.A2A;
import io.a2a.client.Client;
import io.a2a.client.ClientBuilder;
import io.a2a.client.ClientEvent;
import io.a2a.client.TaskEvent;
import io.a2a.client.TaskUpdateEvent;
import io.a2a.client.config.ClientConfig;
import io.a2a.client.transport.grpc.GrpcTransport;
import io.a2a.client.transport.grpc.GrpcTransportConfig;
import io.a2a.client.transport.jsonrpc.JSONRPCTransport;
import io.a2a.client.transport.jsonrpc.JSONRPCTransportConfig;
import io.a2a.client.transport.rest.RestTransport;
import io.a2a.client.transport.rest.RestTransportConfig;
import io.a2a.client.transport.spi.ClientTransportConfig;
import io.a2a.client.transport.spi.interceptors.auth.AuthInterceptor;
import io.a2a.spec.*;
import io.grpc.ManagedChannelBuilder;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

public class Driver {
  private static final Gson GSON =
      new GsonBuilder().setObjectToNumberStrategy(ToNumberPolicy.LONG_OR_DOUBLE).serializeNulls().create();
  private static final long STREAM_SECONDS = 20;

  private final String url;
  private final String binding;
  /** Null for a client without a credential. */
  private final String token;
  private final Map<String, Client> clients = new HashMap<>();

  Driver(String url, String binding, String token) {
    this.url = url;
    this.binding = binding;
    this.token = token;
  }

  public static void main(String[] args) throws Exception {
    Driver driver = new Driver(args[0], args[1], args.length > 2 ? args[2] : null);
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonObject call = JsonParser.parseString(line).getAsJsonObject();
      Map<String, Object> reply = new HashMap<>();
      try {
        reply.put("value", driver.run(call.get("operation").getAsString(), call.getAsJsonArray("args")));
      } catch (Throwable error) {
        reply.put("error", textOf(error));
      }
      out.println(GSON.toJson(reply));
    }
    System.exit(0);
  }

  private Object run(String operation, JsonArray args) throws Exception {
    String first = args.size() > 0 && args.get(0).isJsonPrimitive() ? args.get(0).getAsString() : "";
    String second = args.size() > 1 ? args.get(1).getAsString() : "";
    switch (operation) {
      case "card": {
        AgentCard card = A2A.getAgentCard(url);
        return Map.of("name", card.name(), "skills", card.skills().stream().map(AgentSkill::id).toList());
      }
      case "send": {
        JsonObject message = args.get(0).getAsJsonObject();
        boolean blocking = !message.has("blocking") || message.get("blocking").getAsBoolean();
        return sent(client(blocking ? "blocking" : "polling"), messageFrom(message));
      }
      case "stream": {
        Message message = messageFrom(args.get(0).getAsJsonObject());
        return collected((consumers, failed) -> client("streaming").sendMessage(message, consumers, failed, null));
      }
      case "get":
        return taskOf(client("blocking").getTask(new TaskQueryParams(first)));
      case "cancel":
        return taskOf(client("blocking").cancelTask(new TaskIdParams(first)));
      case "subscribe":
        return collected((consumers, failed) ->
            client("streaming").subscribeToTask(new TaskIdParams(first), consumers, failed, null));
      case "list": {
        ListTasksParams params = ListTasksParams.builder().contextId(first).tenant("").build();
        return client("blocking").listTasks(params).tasks().stream().map(Task::id).toList();
      }
      case "setWebhook": {
        JsonObject wanted = args.get(0).getAsJsonObject();
        PushNotificationConfig config =
            new PushNotificationConfig(wanted.get("url").getAsString(), null, null, wanted.get("id").getAsString());
        return webhookOf(client("blocking").createTaskPushNotificationConfiguration(
            new TaskPushNotificationConfig(wanted.get("taskId").getAsString(), config, "")));
      }
      case "getWebhook":
        return webhookOf(client("blocking").getTaskPushNotificationConfiguration(
            new GetTaskPushNotificationConfigParams(first, second)));
      case "listWebhooks":
        return client("blocking").listTaskPushNotificationConfigurations(
            new ListTaskPushNotificationConfigParams(first)).configs().stream().map(Driver::webhookOf).toList();
      case "deleteWebhook":
        client("blocking").deleteTaskPushNotificationConfigurations(
            new DeleteTaskPushNotificationConfigParams(first, second));
        return null;
      default:
        throw new IllegalArgumentException(operation);
    }
  }

  /** A client for each way to send: its configuration decides, not the call. */
  private Client client(String way) throws Exception {
    Client present = clients.get(way);
    if (present != null) return present;
    ClientConfig config = ClientConfig.builder()
        .setStreaming(way.equals("streaming"))
        .setPolling(way.equals("polling"))
        .setUseClientPreference(true)
        .build();
    ClientBuilder builder = Client.builder(A2A.getAgentCard(url, "1.0/.well-known/agent-card.json", Map.of())).clientConfig(config);
    switch (binding) {
      case "GRPC" -> builder.withTransport(GrpcTransport.class, guarded(
          new GrpcTransportConfig(target -> ManagedChannelBuilder.forTarget(target).usePlaintext().build())));
      case "HTTP+JSON" -> builder.withTransport(RestTransport.class, guarded(new RestTransportConfig()));
      default -> builder.withTransport(JSONRPCTransport.class, guarded(new JSONRPCTransportConfig()));
    }
    Client made = builder.build();
    clients.put(way, made);
    return made;
  }

  /** Has the client's own interceptor send the token for every scheme that a card names. */
  private <T extends ClientTransportConfig<?>> T guarded(T config) {
    if (token != null) config.setInterceptors(List.of(new AuthInterceptor((scheme, context) -> token)));
    return config;
  }

  private interface Opening {
    void open(List<BiConsumer<ClientEvent, AgentCard>> consumers, Consumer<Throwable> failed) throws Exception;
  }

  private Object sent(Client client, Message message) throws Exception {
    CompletableFuture<Object> answer = new CompletableFuture<>();
    BiConsumer<ClientEvent, AgentCard> consumer = (event, card) -> {
      if (event instanceof TaskEvent told) answer.complete(taskOf(told.getTask()));
    };
    client.sendMessage(message, List.of(consumer), answer::completeExceptionally, null);
    return answer.get(STREAM_SECONDS, TimeUnit.SECONDS);
  }

  /** The events until the task is settled: the client does not say when a stream has ended. */
  private Object collected(Opening opening) throws Exception {
    List<Object> events = Collections.synchronizedList(new ArrayList<>());
    CompletableFuture<Object> answer = new CompletableFuture<>();
    BiConsumer<ClientEvent, AgentCard> consumer = (event, card) -> {
      Task task = event instanceof TaskEvent told ? told.getTask() : ((TaskUpdateEvent) event).getTask();
      UpdateEvent update = event instanceof TaskUpdateEvent told ? told.getUpdateEvent() : null;
      if (update instanceof TaskArtifactUpdateEvent grown) {
        events.add(Map.of("taskId", task.id(), "parts", partsOf(grown.artifact())));
        return;
      }
      TaskState state = task.status().state();
      events.add(Map.of("taskId", task.id(), "state", state.name()));
      if (state.isFinal()) answer.complete(events);
    };
    opening.open(List.of(consumer), error -> {
      if (error != null) answer.completeExceptionally(error);
    });
    return answer.get(STREAM_SECONDS, TimeUnit.SECONDS);
  }

  private static Message messageFrom(JsonObject wanted) {
    List<Part<?>> parts = new ArrayList<>();
    for (JsonElement part : wanted.getAsJsonArray("parts")) parts.add(partFrom(part.getAsJsonObject()));
    Message.Builder builder = Message.builder().role(Message.Role.ROLE_USER).parts(parts);
    if (wanted.has("skill")) builder.metadata(Map.of("skillId", wanted.get("skill").getAsString()));
    if (wanted.has("taskId")) builder.taskId(wanted.get("taskId").getAsString());
    if (wanted.has("contextId")) builder.contextId(wanted.get("contextId").getAsString());
    return builder.build();
  }

  @SuppressWarnings("unchecked")
  private static Part<?> partFrom(JsonObject part) {
    if (part.has("text")) return new TextPart(part.get("text").getAsString());
    if (part.has("data")) return new DataPart(GSON.fromJson(part.get("data"), Map.class));
    return new FilePart(new FileWithBytes(
        part.get("mediaType").getAsString(), part.get("name").getAsString(), part.get("raw").getAsString()));
  }

  private static Object taskOf(Task task) {
    List<Object> parts = new ArrayList<>();
    if (task.artifacts() != null) task.artifacts().forEach(artifact -> parts.addAll(partsOf(artifact)));
    return Map.of(
        "id", task.id(), "contextId", task.contextId(), "state", task.status().state().name(), "parts", parts);
  }

  private static List<Object> partsOf(Artifact artifact) {
    List<Object> parts = new ArrayList<>();
    for (Part<?> part : artifact.parts()) {
      if (part instanceof TextPart text) parts.add(Map.of("text", text.text()));
      if (part instanceof DataPart data) parts.add(Map.of("data", data.data()));
      if (part instanceof FilePart file && file.file() instanceof FileWithBytes bytes) {
        Map<String, Object> found = new HashMap<>(Map.of("raw", bytes.bytes()));
        if (bytes.name() != null) found.put("name", bytes.name());
        if (bytes.mimeType() != null) found.put("mediaType", bytes.mimeType());
        parts.add(found);
      }
    }
    return parts;
  }

  private static Object webhookOf(TaskPushNotificationConfig config) {
    PushNotificationConfig own = config.config();
    return Map.of("taskId", config.taskId(), "id", own.id(), "url", own.url());
  }

  private static String textOf(Throwable error) {
    Throwable cause = error instanceof ExecutionException && error.getCause() != null ? error.getCause() : error;
    String below = cause.getCause() == null ? "" : " (" + cause.getCause() + ")";
    return cause + below;
  }
}
