import { randomUUID } from 'node:crypto';
import { eventually } from '../../test/kit/eventually.js';
import { type Caller, CALLERS, RECEIVER_PORT } from '../../test/kit/migration/callers.js';
import { ask } from '../../test/kit/migration/interview.js';

export interface MadeTask {
  readonly name: string;
  readonly caller: Caller;
  readonly id: string;
  readonly clientTaskId?: string;
  readonly hasWebhooks?: boolean;
}

export type Script = readonly (readonly unknown[])[];

interface Said {
  readonly script?: Script;
  readonly skill?: string;
  readonly contextId?: string;
  readonly metadata?: object;
  /** Port and path. */
  readonly webhook?: readonly [number, string];
  readonly waits?: boolean;
  readonly messageId?: string;
}

/** Sends messages and notes the tasks that they begin. */
export class Sender {
  constructor(
    readonly url: string,
    readonly made: MadeTask[],
  ) {}

  async send(name: string, caller: Caller, said: Said): Promise<string> {
    const { script = [], skill = 'play', contextId, metadata, webhook, waits = true, messageId = randomUUID() } = said;
    const message = {
      ...{ messageId, role: 'ROLE_USER', parts: [{ text: `of ${name}` }] },
      ...(contextId === undefined ? {} : { contextId }),
      metadata: { script, skillId: skill },
    };
    const push =
      webhook === undefined
        ? {}
        : {
            taskPushNotificationConfig: {
              url: `http://127.0.0.1:${webhook.join('/')}`,
              token: 'secret of the webhook',
            },
          };
    const configuration = {
      returnImmediately: !waits,
      acceptedOutputModes: ['text/plain', 'application/json'],
      ...push,
    };
    const params = { message, configuration, ...(metadata === undefined ? {} : { metadata }) };
    const answer = (await ask(this.url, caller, '1.0', 'SendMessage', params)) as { result?: { task: { id: string } } };
    if (answer.result === undefined) throw new Error(`${name}: ${JSON.stringify(answer)}`);
    const { id } = answer.result.task;
    this.made.push({ name, caller, id, ...(webhook === undefined ? {} : { hasWebhooks: true }) });
    return id;
  }

  async sendOf03(name: string, caller: Caller, script: Script): Promise<void> {
    const message = {
      kind: 'message',
      messageId: randomUUID(),
      role: 'user',
      parts: [{ kind: 'text', text: name }],
      metadata: { skillId: 'play', script },
    };
    const pushNotificationConfig = { url: `http://127.0.0.1:${RECEIVER_PORT}/legacy`, token: 'old' };
    const params = { message, configuration: { blocking: true, pushNotificationConfig } };
    const answer = (await ask(this.url, caller, '0.3', 'message/send', params)) as { result: { id: string } };
    this.made.push({ name, caller, id: answer.result.id, hasWebhooks: true });
    await eventually(async () => this.expectAttempts(caller, answer.result.id, 3), { timeoutMs: 20_000 });
  }

  async sendOf01(name: string, caller: Caller, clientTaskId: string, script: Script): Promise<void> {
    const message = { role: 'user', parts: [{ type: 'text', text: name }], metadata: { skillId: 'play', script } };
    const answer = await ask(this.url, caller, undefined, 'tasks/send', { id: clientTaskId, message });
    const { result } = answer as { result?: { id: string } };
    if (result?.id !== clientTaskId) throw new Error(`${name}: ${JSON.stringify(answer)}`);
    const list = (await ask(this.url, caller, '1.0', 'ListTasks', { pageSize: 1 })) as {
      result: { tasks: { id: string }[] };
    };
    this.made.push({ name, caller, id: list.result.tasks[0]?.id ?? '', clientTaskId });
  }

  async answer(caller: Caller, taskId: string, script: Script, waits = true): Promise<void> {
    const message = {
      messageId: randomUUID(),
      role: 'ROLE_USER',
      taskId,
      parts: [{ text: 'an answer' }],
      metadata: { script },
    };
    const answer = await ask(this.url, caller, '1.0', 'SendMessage', {
      message,
      configuration: { returnImmediately: !waits },
    });
    if ('error' in (answer as object)) throw new Error(JSON.stringify(answer));
  }

  async until(caller: Caller, id: string, state: string): Promise<void> {
    await eventually(async () => this.expectText(caller, id, `TASK_STATE_${state}`), { timeoutMs: 10_000 });
  }

  /** @throws while the task does not have the text */
  async expectText(caller: Caller, id: string, text: string): Promise<void> {
    const answer = JSON.stringify(await ask(this.url, caller, '1.0', 'GetTask', { id }));
    if (!answer.includes(text)) throw new Error(`Not yet ${text}: ${answer}`);
  }

  /** @throws while fewer attempts were made to deliver its events */
  async expectAttempts(caller: Caller, id: string, least: number): Promise<void> {
    const headers = { 'x-api-key': CALLERS[caller].key };
    const answer = await (await fetch(`${this.url}/webhooks/attempts/${id}`, { headers })).json();
    if ((answer as { attempts: unknown[] }).attempts.length < least) throw new Error(JSON.stringify(answer));
  }
}
