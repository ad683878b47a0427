import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { completed, type SkillEvent } from '@parley/sdk/skill/events.js';
import { RequestFailed } from '@parley/sdk/skill/requests/skill-request.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';

const about = (id: string) => ({ id, name: id, description: 'For tests', tags: [] });

/** Sends its text as an order to the address in its metadata, and says what came back. */
async function* order({ text, metadata, fetch }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
  const answer = await fetch(String(metadata.url), { json: { order: text } }).catch((error: unknown) => error);
  if (answer instanceof Response) yield completed(`${String(answer.status)} ${await answer.text()}`);
  else yield completed(answer instanceof RequestFailed ? `${answer.fault}: ${answer.message}` : String(answer));
}

@Skill(about('orders'))
class OrderSkill implements SkillHandler {
  run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    return order(context);
  }
}

@Skill({ ...about('orders_at_once'), direct: true })
class DirectOrderSkill extends OrderSkill {}

let shop: Server;
let running: RunningApp;
let client: RpcClient;
let received: { readonly headers: IncomingHttpHeaders; readonly body: string }[];
let answers: number[];

const portOfShop = (): string => String((shop.address() as AddressInfo).port);

async function said(skillId: string, url: string): Promise<string> {
  const message = aMessage('two chairs', { skillId });
  return JSON.stringify((await client.call('SendMessage', { ...message, metadata: { url } })).result);
}

describe('a request of a skill', () => {
  beforeAll(async () => {
    shop = createServer((request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        received.push({ headers: request.headers, body });
        const status = answers.shift() ?? 200;
        response.writeHead(status, { 'retry-after': '0' }).end(`number ${String(received.length)}`);
      });
    });
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
    const skills = [OrderSkill, DirectOrderSkill];
    running = await runApp({ EGRESS_ALLOW: `localhost:${portOfShop()}=127.0.0.1/32!http` }, { skills });
    client = new RpcClient(running.url);
  });

  beforeEach(() => {
    received = [];
    answers = [];
  });

  afterAll(async () => {
    await running.close();
    shop.close();
  });

  it.each(['orders', 'orders_at_once'])('is sent once more where the service was busy (%s)', async (skillId) => {
    answers = [503];
    expect(await said(skillId, `http://localhost:${portOfShop()}/orders`)).toContain('200 number 2');
    expect(received.map(({ body }) => body)).toEqual(['{"order":"two chairs"}', '{"order":"two chairs"}']);
    const keys = received.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[\da-f]{32}-0$/);
    expect(keys[1]).toBe(keys[0]);
  });

  it('goes nowhere but to allowed addresses', async () => {
    expect(await said('orders', `http://127.0.0.1:${portOfShop()}/orders`)).toContain('blocked: http://127.0.0.1');
    expect(await said('orders', 'https://169.254.169.254/latest')).toContain('what EGRESS_ALLOW names');
    expect(received).toEqual([]);
  });
});
