import { randomBytes, randomUUID } from 'node:crypto';
import { PAGE_SKILLS } from '../../e2e/agui/skills.js';
import { runApp, type RunningApp } from '../app/running-app.js';
import { settingsFile } from '../app/settings-file.js';
import { apiKeyEntry } from '../auth/api-key-entry.js';
import { type ClientVersion, aPage, type Page } from './pages.js';

const ALL = 'a2a:message.send a2a:tasks.read a2a:tasks.cancel';
/** Callers: of all skills; of another tenant; one who approves; one who may only send. */
export const KEYS = {
  ann: 'ann.0123456789abcdef',
  bob: 'bob.0123456789abcdef',
  boss: 'boss.0123456789abcdef',
  sender: 'sender.0123456789abcdef',
};
export const ORIGIN = 'https://app.example';

export type Caller = keyof typeof KEYS;

/** Services for pages over one store. */
export class PageServices {
  private constructor(private readonly apps: readonly RunningApp[]) {}

  static async start(count = 1, more: Readonly<Record<string, string>> = {}): Promise<PageServices> {
    const key = (caller: Caller, scopes: string, tenant = 'default'): string =>
      apiKeyEntry(KEYS[caller], { tenant, scopes });
    const variables = {
      ...{
        AGUI: 'true',
        PARLEY_FILE: settingsFile({ agui: { allowedOrigins: ORIGIN } }),
        KEY_PREFIX: `test-${randomUUID()}`,
      },
      SECRET_KEYS: `k:${randomBytes(32).toString('base64')}`,
      API_KEYS: [
        key('ann', `${ALL} skill:secret`),
        key('bob', ALL, 'other'),
        key('boss', ALL),
        key('sender', 'a2a:message.send'),
      ].join('\n'),
      OWNERSHIP: 'tenant',
      ...more,
    };
    const apps = Array.from({ length: count }, () => runApp(variables, { skills: PAGE_SKILLS }));
    return new PageServices(await Promise.all(apps));
  }

  async close(): Promise<void> {
    await Promise.all(this.apps.map((app) => app.close()));
  }

  url(skill: string, replica = 0): string {
    return `${this.apps[replica]?.url ?? ''}/agui/${skill}`;
  }

  base(replica = 0): string {
    return this.apps[replica]?.url ?? '';
  }

  page(
    skill: string,
    {
      caller = 'ann',
      replica = 0,
      ...config
    }: { caller?: Caller; replica?: number; version?: ClientVersion } & Parameters<typeof aPage>[1] = {},
  ): Page {
    return aPage(this.url(skill, replica), { headers: { 'x-api-key': KEYS[caller] }, ...config });
  }

  /** A raw POST. */
  post(
    path: string,
    body: unknown,
    {
      caller = 'ann',
      headers = {},
      replica = 0,
    }: { caller?: Caller; headers?: Record<string, string>; replica?: number } = {},
  ): Promise<Response> {
    const given = {
      'x-api-key': KEYS[caller],
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...headers,
    };
    return fetch(`${this.base(replica)}/agui/${path}`, {
      ...{ method: 'POST', headers: given },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }
}

/** The body of a run. */
export function aRun(text: string, more: object = {}): Record<string, unknown> & { threadId: string; runId: string } {
  return {
    ...{ threadId: randomUUID(), runId: randomUUID(), protocolVersion: '1.0' },
    messages: [{ id: randomUUID(), role: 'user', content: text }],
    ...more,
  };
}

export interface SeenFrame {
  readonly id?: string;
  readonly type: string;
  readonly [member: string]: unknown;
}

/** The frames of a stream. */
export function framesIn(text: string): readonly SeenFrame[] {
  return text.split('\n\n').flatMap((frame) => {
    const data = /^data: (.*)$/m.exec(frame)?.[1];
    const id = /^id: (.*)$/m.exec(frame)?.[1];
    if (data === undefined) return [];
    return [{ ...(JSON.parse(data) as { type: string }), ...(id === undefined ? {} : { id }) }];
  });
}

export async function framesOf(response: Response): Promise<readonly SeenFrame[]> {
  return framesIn(await response.text());
}

/** A fetch whose answers are cut after some bytes, each at another one of two replicas. */
export function cuttingFetch(
  services: PageServices,
  lengths: readonly number[],
): (url: string, init: RequestInit) => Promise<Response> {
  const left = [...lengths];
  let sent = 0;
  return async (url, init) => {
    sent += 1;
    const to = sent % 2 === 0 ? url.replace(services.base(0), services.base(1)) : url;
    const response = await fetch(to, init);
    const most = left.shift();
    if (most === undefined || response.body === null) return response;
    let bytes = 0;
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform: (part, controller) => {
        controller.enqueue(part.subarray(0, most - bytes));
        bytes += part.length;
        if (bytes >= most) controller.terminate();
      },
    });
    return new Response(response.body.pipeThrough(cut), { headers: response.headers });
  };
}
