import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { CHAT_SKILLS } from './skills.js';

const KEY = 'ann.0123456789abcdef';
/** `FUZZ_REQUESTS=10000` for the figure of the row. */
const BODIES = Number(process.env.FUZZ_REQUESTS ?? 2_000);
const AT_ONCE = 50;
const CHAT = {
  ...{ model: 'words', stream: false, n: 1, stop: null, user: 'u', metadata: { context_id: 'c' }, store: true },
  messages: [
    { role: 'system', content: 'x' },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } }] },
    { role: 'tool', tool_call_id: 'call_a~m:b', content: 'x' },
    { role: 'user', content: 'hello' },
  ],
  tools: [{ type: 'function', function: { name: 'ask_user' } }],
  response_format: { type: 'text', json_schema: { name: 'x', schema: { type: 'object' } } },
  stream_options: { include_usage: true },
};

const RESPONSE = {
  ...{ model: 'words', stream: false, instructions: 'x', background: false, metadata: { a: 'b' }, store: true },
  ...{ previous_response_id: null, conversation: null, text: { format: { type: 'text', schema: { type: 'object' } } } },
  input: [
    { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,QUJD' }] },
    { type: 'function_call_output', call_id: 'call_a~m:b', output: 'x' },
    { type: 'message', role: 'user', content: 'hello' },
  ],
  tools: [{ type: 'function', name: 'ask_user' }],
};

/** The body with another value at one of its members. */
function mutated(value: unknown, path: readonly number[], other: unknown): unknown {
  const [at, ...rest] = path;
  if (at === undefined || typeof value !== 'object' || value === null) return other;
  const entries = Object.entries(value);
  if (entries.length === 0) return other;
  const changed = entries.map(([name, member]: [string, unknown], index) => [
    name,
    index === at % entries.length ? mutated(member, rest, other) : member,
  ]);
  return Array.isArray(value)
    ? changed.map(([, member]) => member)
    : Object.fromEntries(changed as [string, unknown][]);
}

describe('the API of OpenAI with any body', () => {
  let service: RunningApp;

  beforeAll(async () => {
    const API_KEYS = apiKeyEntry(KEY, { tenant: 'default', scopes: 'a2a:message.send a2a:tasks.read' });
    const rates = { RATE_READ: '10000/100000', RATE_WRITE: '10000/100000' };
    const variables = { OPENAI: 'true', API_KEYS, KEY_PREFIX: `test-${randomUUID()}`, ...rates };
    service = await runApp(variables, { skills: CHAT_SKILLS });
  });
  afterAll(() => service.close());

  it.each([
    ['chat/completions', CHAT],
    ['responses', RESPONSE],
  ])(
    'answers thousands for %s with a result or a refusal in the form of OpenAI, never with a fault of the service (DOOR-13)',
    async (path, usual) => {
      const paths = fc.array(fc.nat({ max: 40 }), { maxLength: 5 });
      const others = fc.oneof(
        fc.jsonValue({ maxDepth: 3 }),
        fc.string(),
        fc.constant('data:;base64,'),
        fc.constant('call_~'),
      );
      const bodies = fc.sample(fc.tuple(paths, others), BODIES);
      const odd: string[] = [];
      let completions = 0;
      for (let at = 0; at < bodies.length; at += AT_ONCE) {
        await Promise.all(
          bodies.slice(at, at + AT_ONCE).map(async ([place, other]) => {
            const body = JSON.stringify(mutated(usual, place, other));
            const response = await fetch(`${service.url}/openai/v1/${path}`, {
              ...{ method: 'POST', body },
              headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
            });
            const text = await response.text();
            const isWell =
              response.status < 500 && (response.status === 200 || text.startsWith('{"error":{"message":'));
            if (response.status === 200) completions += 1;
            if (!isWell) odd.push(`${String(response.status)} ${text.slice(0, 200)} for ${body.slice(0, 300)}`);
          }),
        );
      }
      expect(odd.slice(0, 3)).toEqual([]);
      expect(completions).toBeGreaterThan(BODIES / 10);
    },
    600_000,
  );
});
