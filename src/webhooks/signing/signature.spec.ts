import { describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { agentSignature, isSignedBy, webhookSignature, type SignedMessage } from './signature.js';

const KEY = { id: 'k1', secret: 'whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=' };
const OLD = { id: 'k0', secret: `whsec_${Buffer.alloc(32, 9).toString('base64')}` };
const BODY =
  '{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-11-21T00:00:00.000Z"}}}';

function now(): number {
  return Math.floor(Date.now() / 1000);
}

function headersOf(message: SignedMessage, signature: string): Record<string, string> {
  return { 'webhook-id': message.id, 'webhook-timestamp': String(message.timestamp), 'webhook-signature': signature };
}

describe(webhookSignature.name, () => {
  it('gives the known answer', () => {
    const signature = webhookSignature([KEY], { id: 'evt_t1_7', timestamp: 1_795_219_200, body: BODY });
    expect(signature).toBe('v1,bjK96bpHyVS/lDpgx2K4UqM69dAxXhghSNV/pHYl+E8=');
  });

  it('is accepted by the public verifier with either of two keys', () => {
    const message = { id: 'evt_t1_7', timestamp: now(), body: BODY };
    const headers = headersOf(message, webhookSignature([KEY, OLD], message));
    for (const key of [KEY, OLD]) expect(isSignedBy(key, headers, BODY)).toBe(true);
    expect(isSignedBy({ ...KEY, secret: 'another one' }, headers, BODY)).toBe(false);
    expect(isSignedBy(KEY, headers, `${BODY} `)).toBe(false);
    expect(isSignedBy(KEY, {}, BODY)).toBe(false);
    for (const { secret } of [KEY, OLD]) expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY));
    expect(() => new Webhook(`whsec_${Buffer.alloc(32, 1).toString('base64')}`).verify(BODY, headers)).toThrow();
  });

  it('is refused when body, id or time were changed, and outside of five minutes', () => {
    const message = { id: 'evt_t1_7', timestamp: now(), body: BODY };
    const headers = headersOf(message, webhookSignature([KEY], message));
    const webhook = new Webhook(KEY.secret);
    expect(() => webhook.verify(BODY.replace('t1', 't2'), headers)).toThrow();
    expect(() => webhook.verify(BODY, { ...headers, 'webhook-id': 'evt_t1_8' })).toThrow();
    expect(() => webhook.verify(BODY, { ...headers, 'webhook-timestamp': String(message.timestamp - 1) })).toThrow();
    for (const skew of [-301, 301]) {
      const moved = { ...message, timestamp: message.timestamp + skew };
      expect(() => webhook.verify(BODY, headersOf(moved, webhookSignature([KEY], moved)))).toThrow(/too (old|new)/);
    }
  });

  it.each(['a plain password!', 'short', 'whsec_not base64'])('signs with the characters of %j', (secret) => {
    const message = { id: 'evt_t1_7', timestamp: now(), body: BODY };
    const headers = headersOf(message, webhookSignature([{ id: 'k', secret }], message));
    expect(new Webhook(secret, { format: 'raw' }).verify(BODY, headers)).toEqual(JSON.parse(BODY));
  });
});

describe(agentSignature.name, () => {
  it('gives the known answer (SEED-14)', () => {
    expect(agentSignature(KEY, BODY)).toBe('d2821c5e7d94aa1804d7eed77e868e01f3c1e3641dce305a99774ac20827fd01');
  });

  it('is what a receiver computes over the raw bytes', () => {
    const body = '{"text":"Grüße 👋"}';
    expect(agentSignature(KEY, body)).toBe(createHmac('sha256', KEY.secret).update(Buffer.from(body)).digest('hex'));
  });
});
