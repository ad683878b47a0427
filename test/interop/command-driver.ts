import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { TaskPushNotificationConfig } from '@parley/protocol/model/push-config.js';
import type {
  RemoteEvent,
  RemotePushConfigs,
  RemoteReply,
  RemoteTask,
  RemoteTaskList,
} from '@parley/protocol/remote/remote-model.js';
import { temporaryFolder } from '../kit/run/temporary-folder.mjs';
import type { DrivenCredential, DrivenMessage, DrivenPart, SdkDriver } from './driver.js';
import { eventOf, taskOf, webhookOf } from './parley-driver.js';

const PARLEY = fileURLToPath(new URL('../../dist/cli/parley.js', import.meta.url));

/** The built `parley` command on one binding of any agent: a process for each call, and its JSON. */
export function commandDriver(url: string, binding: string, version: string, credential?: DrivenCredential): SdkDriver {
  const folder = temporaryFolder('interop-command');
  const usual = ['-a', url, '-o', 'json', '--transport', binding, '--a2a-version', version];
  const known = variablesOf(credential);

  async function printed(args: readonly string[]): Promise<string> {
    const { PATH = '' } = process.env;
    const child = spawn(process.execPath, [PARLEY, ...args, ...usual], {
      ...{ cwd: folder, env: { PATH, HOME: folder, ...known } },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number | null]>]);
    if (code === 0) return out;
    const last = out.trim().split('\n').at(-1) ?? '';
    const { error } = JSON.parse(last === '}' ? out : last) as { readonly error: Record<string, string> };
    throw new Error(`exit ${String(code)}, ${error.code ?? ''}: ${error.message ?? ''}`);
  }
  const document = async (...args: readonly string[]): Promise<unknown> => JSON.parse(await printed(args)) as unknown;
  const events = async (...args: readonly string[]) =>
    (await printed([...args, '--stream']))
      .trim()
      .split('\n')
      .map((line) => eventOf(JSON.parse(line) as RemoteEvent));

  async function messageArgs({ parts, skill, taskId, contextId }: DrivenMessage): Promise<readonly string[]> {
    const flags = await Promise.all(parts.map((part) => partArgs(folder, part)));
    const ids = { '--skill': skill, '--task-id': taskId, '--context-id': contextId };
    return [
      ...flags.flat(),
      ...Object.entries(ids).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value])),
    ];
  }

  return {
    async card() {
      const { name, skills } = (await document('card', 'get')) as { name: string; skills: readonly { id: string }[] };
      return { name, skills: skills.map(({ id }) => id) };
    },
    async send(message) {
      const waiting = message.blocking === false ? ['--async'] : ['--poll-interval', '200ms'];
      const reply = (await document('send', ...waiting, ...(await messageArgs(message)))) as RemoteReply;
      if ('message' in reply) throw new Error('The agent answered with a message');
      return taskOf(reply.task);
    },
    stream: async (message) => events('send', ...(await messageArgs(message))),
    get: async (id) => taskOf((await document('task', 'get', id)) as RemoteTask),
    cancel: async (id) => taskOf((await document('task', 'cancel', id)) as RemoteTask),
    subscribe: (id) => events('task', 'subscribe', id),
    async list(contextId) {
      const { tasks } = (await document('task', 'list', '--context-id', contextId)) as RemoteTaskList;
      return tasks.map(({ id }) => id);
    },
    async setWebhook({ taskId, id, url: hook }) {
      const made = await document('task', 'push-config', 'create', taskId, hook, '--id', id);
      return webhookOf(made as TaskPushNotificationConfig);
    },
    async getWebhook(taskId, id) {
      return webhookOf((await document('task', 'push-config', 'get', taskId, id)) as TaskPushNotificationConfig);
    },
    async listWebhooks(taskId) {
      const { configs } = (await document('task', 'push-config', 'list', taskId)) as RemotePushConfigs;
      return configs.map(webhookOf);
    },
    async deleteWebhook(taskId, id) {
      await document('task', 'push-config', 'delete', taskId, id);
      return null;
    },
  };
}

function variablesOf(credential: DrivenCredential | undefined): Readonly<Record<string, string>> {
  if (credential === undefined) return {};
  return 'apiKey' in credential ? { A2ACLI_API_KEY: credential.apiKey } : { A2ACLI_BEARER: credential.bearer };
}

/** A part as flags; bytes and data are in files of the folder. */
async function partArgs(folder: string, part: DrivenPart): Promise<readonly string[]> {
  if (part.text !== undefined) return ['--text', part.text];
  if (part.raw === undefined) {
    const path = join(folder, 'data.json');
    await writeFile(path, JSON.stringify(part.data));
    return ['--data', path];
  }
  const path = join(folder, part.name ?? 'file');
  await writeFile(path, Buffer.from(part.raw, 'base64'));
  return ['--file', path, ...(part.mediaType === undefined ? [] : ['--media-type', part.mediaType])];
}
