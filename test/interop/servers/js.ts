import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { AgentCard, type Part, TaskState } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultPushNotificationSender,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
  type RequestContext,
} from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';
import { KEY_HEADER } from '../driver.js';

const STEP_MS = 100;

/** The skills of the cells, as an executor of the official SDK. */
class InteropExecutor implements AgentExecutor {
  private readonly canceled = new Set<string>();

  async execute(context: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const { taskId, contextId, userMessage, task } = context;
    const status = (state: TaskState): void => {
      const now = { state, message: undefined, timestamp: new Date().toISOString() };
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: now, metadata: undefined }));
    };
    if (task === undefined) {
      const submitted = { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: undefined };
      const begun = { id: taskId, contextId, status: submitted, artifacts: [], history: [userMessage] };
      bus.publish(AgentEvent.task({ ...begun, metadata: undefined }));
    }
    status(TaskState.TASK_STATE_WORKING);
    const { skillId } = (userMessage.metadata ?? {}) as { readonly skillId?: string };
    const say = (parts: Part[]): void => {
      const described = { artifactId: 'result', name: '', description: '', metadata: undefined, extensions: [] };
      const update = { taskId, contextId, append: false, lastChunk: true, metadata: undefined };
      bus.publish(AgentEvent.artifactUpdate({ ...update, artifact: { ...described, parts } }));
    };
    if (skillId === 'approve_payment' && task === undefined) status(TaskState.TASK_STATE_INPUT_REQUIRED);
    else status(await this.end(skillId, taskId, userMessage.parts, say));
    bus.finished();
  }

  cancelTask = async (taskId: string): Promise<void> => {
    this.canceled.add(taskId);
  };

  /** Works on a task until it ends. */
  private async end(
    skillId: string | undefined,
    taskId: string,
    parts: Part[],
    say: (parts: Part[]) => void,
  ): Promise<TaskState> {
    if (skillId === 'countdown') {
      const [first] = parts;
      const steps = first?.content?.$case === 'text' ? Number(first.content.value) * 3 : 0;
      for (let step = 0; step < steps; step += 1) {
        if (this.canceled.has(taskId)) return TaskState.TASK_STATE_CANCELED;
        await pause(STEP_MS);
      }
    }
    say(parts);
    return TaskState.TASK_STATE_COMPLETED;
  }
}

/**
 * The official server of JavaScript with the skills of the cells, on a free loopback port: 1.0 on two bindings, and 0.3.
 * @param secret that every call must have, as a bearer token or as an API key
 */
export async function startJsServer(
  secret?: string,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const app = express();
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const hooks = new InMemoryPushNotificationStore();
  const handler = new DefaultRequestHandler(
    AgentCard.fromJSON({ ...cardAt(url), ...(secret === undefined ? {} : SECURITY) }),
    new InMemoryTaskStore(),
    new InteropExecutor(),
    undefined,
    hooks,
    new DefaultPushNotificationSender(hooks),
  );
  const options = { requestHandler: handler, userBuilder: UserBuilder.noAuthentication };
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: handler }));
  if (secret !== undefined) app.use(guard(secret));
  app.use('/rest', restHandler(options));
  app.use('/', jsonRpcHandler({ ...options, legacyCompat: { enabled: true } }));
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, stop };
}

/** Either of the two is sufficient. */
const SECURITY = {
  securitySchemes: {
    bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
    key: { apiKeySecurityScheme: { location: 'header', name: KEY_HEADER } },
  },
  securityRequirements: ['bearer', 'key'].map((name) => ({ schemes: { [name]: { list: [] } } })),
};

function guard(secret: string): express.RequestHandler {
  return (request, response, next) => {
    if (request.get('authorization') === `Bearer ${secret}` || request.get(KEY_HEADER) === secret) next();
    else response.status(401).set('www-authenticate', 'Bearer').send('Unauthorized');
  };
}

function cardAt(url: string): object {
  const skill = (id: string): object => ({ id, name: id, description: `The skill ${id}.`, tags: ['interop'] });
  const modes = ['text/plain', 'application/json', 'application/octet-stream'];
  return {
    ...{ name: 'Interop', description: 'The official server of JavaScript.', version: '1.0.0' },
    supportedInterfaces: [
      { url: `${url}/`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: `${url}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      { url: `${url}/`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ],
    capabilities: { streaming: true, pushNotifications: true },
    ...{ defaultInputModes: modes, defaultOutputModes: modes },
    skills: ['echo', 'countdown', 'approve_payment'].map(skill),
  };
}
