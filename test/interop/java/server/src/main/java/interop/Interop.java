package interop;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.annotations.CommandLineArguments;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpServerRequest;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import io.a2a.server.PublicAgentCard;
import io.a2a.server.agentexecution.AgentExecutor;
import io.a2a.server.agentexecution.RequestContext;
import io.a2a.server.events.EventQueue;
import io.a2a.server.tasks.TaskUpdater;
import io.a2a.spec.APIKeySecurityScheme;
import io.a2a.spec.AgentCapabilities;
import io.a2a.spec.AgentCard;
import io.a2a.spec.AgentSkill;
import io.a2a.spec.HTTPAuthSecurityScheme;
import io.a2a.spec.Message;
import io.a2a.spec.TextPart;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * The card and the skills of the cells, for the reference server. It prints its address, and ends with its stdin.
 * An argument is a secret that every call must have.
 */
@ApplicationScoped
public class Interop {
  private static final long STEP_MS = 100;
  private static final String KEY_HEADER = "X-Interop-Key";

  @ConfigProperty(name = "interop.url")
  String url;

  @Inject
  @CommandLineArguments
  String[] arguments;

  void started(@Observes StartupEvent event) {
    System.out.println(url);
    Thread ending = new Thread(() -> {
      try {
        while (System.in.read() != -1) continue;
      } catch (java.io.IOException error) {
        // As if it had ended.
      }
      Quarkus.asyncExit();
    });
    ending.setDaemon(true);
    ending.start();
  }

  /** Wants the secret with every call, as a bearer token or as an API key; the card is open. */
  void guard(@Observes Filters filters) {
    if (arguments.length == 0) return;
    String secret = arguments[0];
    filters.register(context -> {
      HttpServerRequest request = context.request();
      boolean isKnown = ("Bearer " + secret).equals(request.getHeader("Authorization"))
          || secret.equals(request.getHeader(KEY_HEADER));
      if (isKnown || request.path().startsWith("/.well-known/")) context.next();
      else context.response().setStatusCode(401).putHeader("WWW-Authenticate", "Bearer").end("Unauthorized");
    }, 1);
  }

  @Produces
  @PublicAgentCard
  public AgentCard card() {
    List<String> modes = List.of("text/plain", "application/json", "application/octet-stream");
    AgentCard.Builder card = new AgentCard.Builder()
        .name("Interop")
        .description("The official server of Java.")
        .version("1.0.0")
        .protocolVersion("0.3.0")
        .url(url)
        .preferredTransport("JSONRPC")
        .capabilities(new AgentCapabilities.Builder().streaming(true).pushNotifications(true).build())
        .defaultInputModes(modes)
        .defaultOutputModes(modes)
        .skills(Stream.of("echo", "countdown", "approve_payment").map(Interop::skill).toList());
    if (arguments.length > 0) demand(card);
    return card.build();
  }

  /** Either of the two is sufficient. */
  private static void demand(AgentCard.Builder card) {
    card.securitySchemes(Map.of(
            "bearer", new HTTPAuthSecurityScheme.Builder().scheme("Bearer").build(),
            "key", new APIKeySecurityScheme.Builder().in("header").name(KEY_HEADER).build()))
        .security(List.of(Map.of("bearer", List.of()), Map.of("key", List.of())));
  }

  private static AgentSkill skill(String id) {
    return new AgentSkill.Builder()
        .id(id)
        .name(id)
        .description("The skill " + id + ".")
        .tags(List.of("interop"))
        .build();
  }

  @Produces
  public AgentExecutor executor() {
    Set<String> canceled = ConcurrentHashMap.newKeySet();
    return new AgentExecutor() {
      @Override
      public void execute(RequestContext context, EventQueue events) {
        TaskUpdater task = new TaskUpdater(context, events);
        Message message = context.getMessage();
        boolean isFirst = context.getTask() == null;
        if (isFirst) task.submit();
        task.startWork();
        Object skill = message.getMetadata() == null ? null : message.getMetadata().get("skillId");
        if (isFirst && "approve_payment".equals(skill)) {
          task.requiresInput(true);
          return;
        }
        if ("countdown".equals(skill) && !counted(message, context.getTaskId(), canceled)) return;
        task.addArtifact(message.getParts(), "result", null, null);
        task.complete();
      }

      @Override
      public void cancel(RequestContext context, EventQueue events) {
        canceled.add(context.getTaskId());
        new TaskUpdater(context, events).cancel();
      }
    };
  }

  /** Whether the time was over before the task was canceled. */
  private static boolean counted(Message message, String taskId, Set<String> canceled) {
    int seconds = message.getParts().get(0) instanceof TextPart text ? Integer.parseInt(text.getText()) : 0;
    try {
      for (int step = 0; step < seconds * 3; step += 1) {
        if (canceled.contains(taskId)) return false;
        Thread.sleep(STEP_MS);
      }
    } catch (InterruptedException error) {
      return false;
    }
    return true;
  }
}
