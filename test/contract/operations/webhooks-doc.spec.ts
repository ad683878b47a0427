import { execFileSync } from 'node:child_process';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { BODY, SECRET, signedHeaders, webhookCode } from '../../kit/stubs/signed-call.js';

type Handler = (request: object, response: object) => void;

/** Code without its imports, as a function of what it imports and uses. */
function program(code: string, names: readonly string[], result: string): (...values: readonly unknown[]) => unknown {
  const body = `${code.replaceAll(/^import .*$/gm, '')}\nreturn ${result};`;
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the page's own code
  return new Function(...names, body) as (...values: readonly unknown[]) => unknown;
}

const [library = '', byHand = ''] = webhookCode('js');

describe('docs/webhooks.md', () => {
  it('verifies a genuine call with the library, and no other', () => {
    const handlers: Handler[] = [];
    const app = { post: (_path: string, _raw: unknown, handler: Handler) => handlers.push(handler) };
    const express = { raw: () => undefined };
    const process = { env: { WEBHOOK_SECRET: SECRET } };
    program(library, ['Webhook', 'app', 'express', 'process'], 'undefined')(Webhook, app, express, process);
    const statuses: number[] = [];
    const response = { sendStatus: (status: number) => statuses.push(status) };
    handlers[0]?.({ body: Buffer.from(BODY), headers: signedHeaders() }, response);
    expect(statuses).toEqual([204]);
    expect(() => handlers[0]?.({ body: Buffer.from('{}'), headers: signedHeaders() }, response)).toThrow();
  });

  it('verifies by hand', () => {
    const isGenuine = program(byHand, ['createHmac', 'timingSafeEqual'], 'isGenuine')(createHmac, timingSafeEqual) as (
      ...values: readonly string[]
    ) => boolean;
    const { 'x-agent-signature': signature = '' } = signedHeaders();
    expect(isGenuine(BODY, signature, SECRET)).toBe(true);
    expect(isGenuine('{}', signature, SECRET)).toBe(false);
  });

  it('computes both signatures in a shell', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-webhook-'));
    try {
      writeFileSync(join(folder, 'body.json'), BODY);
      const headers = signedHeaders();
      const env = { PATH: process.env.PATH, SECRET, ID: 'm1', TIMESTAMP: headers['webhook-timestamp'] };
      const script = webhookCode('sh').find((code) => code.includes('openssl')) ?? '';
      const printed = execFileSync('bash', ['-euc', script], { cwd: folder, env, encoding: 'utf8' });
      expect(printed).toContain(headers['x-agent-signature']);
      expect(`v1,${printed.trim().split('\n').at(-1) ?? ''}`).toBe(headers['webhook-signature']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
