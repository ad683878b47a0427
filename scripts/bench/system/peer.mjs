// The peer: a server of the official SDK as its documentation builds one, on Express. Tasks are kept in its memory store,
// or, with REDIS_URL, in the plain Redis store below.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { AGENT_CARD_PATH, Role, TaskState } from '@a2a-js/sdk';
import {
  AgentEvent,
  DefaultPushNotificationSender,
  DefaultRequestHandler,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
} from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';
import { Redis } from 'ioredis';
import { reportMemory } from './memory.mjs';
import { BIG_TEXT, CHUNK_TEXT, monotonicMs, processorMs } from './work.mjs';

/** An hour's work of an author: a task is one JSON value under its id. Without lists. */
class PlainRedisStore {
  constructor(url) {
    this.redis = new Redis(url);
  }

  async load(id) {
    const text = await this.redis.get(`peer:task:${id}`);
    return text === null ? undefined : JSON.parse(text);
  }

  async save(task) {
    await this.redis.set(`peer:task:${task.id}`, JSON.stringify(task));
  }

  async list() {
    throw new Error('This store does not list');
  }
}

const textPart = (value) => ({ content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: '' });

/** One run of the executor, with its published events in the words of our skills. */
class Run {
  constructor({ taskId, contextId, userMessage, task }, bus) {
    Object.assign(this, { taskId, contextId, userMessage, task, bus });
    this.text = userMessage.parts.map(({ content }) => content?.value ?? '').join('');
  }

  begin() {
    if (this.task === undefined) {
      const { taskId: id, contextId, userMessage } = this;
      const status = { state: TaskState.TASK_STATE_SUBMITTED, timestamp: new Date().toISOString(), message: undefined };
      this.bus.publish(
        AgentEvent.task({ id, contextId, status, artifacts: [], history: [userMessage], metadata: undefined }),
      );
    }
    this.status(TaskState.TASK_STATE_WORKING);
  }

  status(state, text) {
    const { taskId, contextId } = this;
    const message = text === undefined ? undefined : this.message(text);
    const status = { state, timestamp: new Date().toISOString(), message };
    this.bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
  }

  message(text) {
    const { taskId, contextId } = this;
    return {
      ...{ messageId: randomUUID(), role: Role.ROLE_AGENT, taskId, contextId, parts: [textPart(text)] },
      ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
    };
  }

  artifact(artifactId, text, { append = false, lastChunk = true } = {}) {
    const { taskId, contextId } = this;
    const parts = [textPart(text)];
    const artifact = { artifactId, name: '', description: '', parts, metadata: undefined, extensions: [] };
    this.bus.publish(
      AgentEvent.artifactUpdate({ taskId, contextId, artifact, append, lastChunk, metadata: undefined }),
    );
  }
}

const SKILLS = {
  async instant(run) {
    run.artifact('echo', run.text);
  },

  async big(run) {
    run.artifact('big', BIG_TEXT);
  },

  async six(run) {
    run.status(TaskState.TASK_STATE_WORKING, 'half way');
    run.artifact('one', run.text);
    run.artifact('two', run.text);
  },

  async chunks(run) {
    const count = Number(run.text);
    const tenth = count / 10;
    const marks = [];
    for (let at = 0; at < count; at += 1) {
      if ([0, tenth, count - tenth].includes(at)) marks.push(await processorMs());
      run.artifact('growing', CHUNK_TEXT, { append: at > 0, lastChunk: at === count - 1 });
      await pause(0);
    }
    marks.push(await processorMs());
    run.artifact('cost', JSON.stringify({ first: marks[1] - marks[0], last: marks[3] - marks[2] }));
  },

  async ticks(run) {
    for (let left = Number(run.text); left > 0; left -= 1) {
      await pause(20);
      run.status(TaskState.TASK_STATE_WORKING, String(monotonicMs()));
    }
  },
};

const executor = {
  async execute(context, bus) {
    const run = new Run(context, bus);
    run.begin();
    await SKILLS[run.userMessage.metadata?.skillId ?? 'instant'](run);
    run.status(TaskState.TASK_STATE_COMPLETED);
    bus.finished();
  },
  async cancelTask() {
    throw new Error('Nothing is canceled here');
  },
};

const { REDIS_URL } = process.env;
const tasks = REDIS_URL === undefined ? new InMemoryTaskStore() : new PlainRedisStore(REDIS_URL);
const app = express();
const server = createServer(app);
server.keepAliveTimeout = 65_000;
reportMemory();
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  const card = agentCard(url);
  const configs = new InMemoryPushNotificationStore();
  const sender = new DefaultPushNotificationSender(configs);
  const requestHandler = new DefaultRequestHandler(card, tasks, executor, undefined, configs, sender);
  app.use(`/${AGENT_CARD_PATH.replace(/^\//, '')}`, agentCardHandler({ agentCardProvider: requestHandler }));
  app.use(jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  process.stdout.write(`${JSON.stringify({ event: 'service.started', address: url })}\n`);
});

function agentCard(url) {
  const skill = (id) => ({
    ...{ id, name: id, description: `The ${id} skill of the benchmark.`, tags: ['bench'], examples: [] },
    ...{ inputModes: ['text/plain'], outputModes: ['text/plain'], securityRequirements: [] },
  });
  return {
    ...{ name: 'Peer', description: 'The peer of the benchmark.', version: '1.0.0', provider: undefined },
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
    capabilities: { streaming: true, pushNotifications: true, extensions: [], extendedAgentCard: false },
    ...{ securitySchemes: {}, securityRequirements: [], signatures: [] },
    ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
    skills: Object.keys(SKILLS).map(skill),
  };
}
