import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DialectClient } from '../../kit/callers/dialect-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';

let running: RunningApp;

type Answer = ReturnType<typeof JSON.parse>;

/** Sends a message of 1.0, or of an older version, and gives the answer as text and parsed. */
const DOORS: Readonly<Record<string, (message: object) => Promise<Answer>>> = {
  'JSON-RPC 1.0': (message) => v1().call('SendMessage', { message }),
  'REST 1.0': async (message) => {
    const response = await fetch(`${running.url}/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ message }),
    });
    return response.json();
  },
  'JSON-RPC 0.3': (message) => older('0.3').call('message/send', { message }),
  'JSON-RPC 0.2': (message) => older('0.2').call('message/send', { message }),
};

function v1(): DialectClient {
  return new DialectClient(running.url, { 'a2a-version': '1.0' });
}

function older(version: string): DialectClient {
  return new DialectClient(running.url, { 'a2a-version': version });
}

function messageFor(door: string, parts: readonly object[], members: object = {}): object {
  const isV1 = door.endsWith('1.0');
  const role = isV1 ? 'ROLE_USER' : 'user';
  return { kind: 'message', messageId: randomUUID(), role, parts, metadata: { skillId: 'echo' }, ...members };
}

describe('message members', () => {
  beforeAll(async () => {
    running = await runApp();
  });

  afterAll(async () => {
    await running.close();
  });

  describe.each(Object.keys(DOORS))('a message over %s', (door) => {
    const send = async (message: object): Promise<Answer> => DOORS[door]?.(message);
    const isV1 = door.endsWith('1.0');

    it('may have null for members that are absent, also for the data beside a content (B26, A2A-JSON-07)', async () => {
      const nulls = { metadata: null, filename: null, mediaType: null, data: null, raw: null, url: null, file: null };
      const part = { text: 'hi', ...nulls, ...(isV1 ? {} : { kind: 'text' }) };
      const answer = await send(messageFor(door, [part], { contextId: null, taskId: null, referenceTaskIds: null }));
      expect(answer).not.toHaveProperty('error');
      expect(JSON.stringify(answer)).toContain('"text":"hi"');
    });

    it.each(['messageId', 'contextId', 'taskId'])('has no hidden character in its %s (B27)', async (member) => {
      const part = { text: 'hi', ...(isV1 ? {} : { kind: 'text' }) };
      for (const hidden of ['\n', '\r', '\u001b', '\u007f', '\u0085', '\u2028', '\u2029', '\u202e', '\u2066']) {
        const answer = await send(messageFor(door, [part], { [member]: `a${hidden}b` }));
        const text = JSON.stringify(answer);
        expect([JSON.stringify(hidden), text]).toEqual([JSON.stringify(hidden), expect.stringContaining(member)]);
        expect(text).toContain('must have no control characters');
        expect(text).not.toContain('"status":{"state"');
      }
    });
  });
});
