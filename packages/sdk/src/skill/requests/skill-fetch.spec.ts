import { describe, expect, it } from '@jest/globals';
import { skillFetch } from './skill-fetch.js';
import { inStep } from '../step-scope.js';
import {
  type IncomingAnswer,
  type OutgoingRequest,
  RequestFailed,
  type RequestFault,
  type SkillFetch,
} from './skill-request.js';

type Scripted = number | RequestFault | IncomingAnswer;

/** A network with scripted answers, and the requests that it received. */
function aNetwork(...answers: readonly Scripted[]) {
  const sent: OutgoingRequest[] = [];
  const send = async (request: OutgoingRequest): Promise<IncomingAnswer> => {
    const answer = answers[sent.length] ?? 200;
    sent.push(request);
    if (typeof answer === 'object') return answer;
    if (typeof answer === 'string') throw new RequestFailed(answer, answer);
    return { status: answer, headers: { 'retry-after': '0' }, body: Buffer.from(`answer ${String(sent.length)}`) };
  };
  return { sent, requests: { send } };
}

const SIGNAL = new AbortController().signal;
const RUN = { idempotencyKey: 'task:1', signal: () => SIGNAL };
const URL_OF_RATES = 'https://rates.example/eur';

describe(skillFetch.name, () => {
  it.each<[string, 'GET' | 'POST', Scripted, number]>([
    ['a GET whose connection broke', 'GET', 'broken', 2],
    ['a POST whose connection broke', 'POST', 'broken', 1],
    ['a POST that was never sent', 'POST', 'unreachable', 2],
    ['a POST that was refused for now', 'POST', 503, 2],
    ['a POST over the rate', 'POST', 429, 2],
    ['a GET behind a bad gateway', 'GET', 502, 2],
    ['a POST behind a bad gateway', 'POST', 504, 1],
    ['a fault of the service', 'GET', 500, 1],
    ['a blocked address', 'GET', 'blocked', 1],
    ['an answer that is too large', 'GET', 'too-large', 1],
  ])('%s (%s, %s) takes attempts: %d', async (_what, method, first, attempts) => {
    const { sent, requests } = aNetwork(first);
    await skillFetch(requests, RUN)(URL_OF_RATES, { method }).catch(() => undefined);
    expect(sent).toHaveLength(attempts);
  });

  it('retries a POST like a GET where the receiver knows the key', async () => {
    const { sent, requests } = aNetwork('broken', 504);
    const response = await skillFetch(requests, RUN)(URL_OF_RATES, { json: { a: 1 }, idempotent: true });
    expect(await response.text()).toBe('answer 3');
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('gives the last answer once the attempts are used up, and the fault of one without an answer', async () => {
    const busy = skillFetch(aNetwork(503, 503, 503).requests, RUN);
    expect((await busy(URL_OF_RATES)).status).toBe(503);
    const gone = skillFetch(aNetwork('unreachable', 'unreachable').requests, RUN);
    await expect(gone(URL_OF_RATES, { attempts: 2 })).rejects.toMatchObject({ fault: 'unreachable' });
  });

  it('leaves an answer to the skill that asks for a long pause', async () => {
    const later: IncomingAnswer = { status: 429, headers: { 'retry-after': '3600' }, body: Buffer.alloc(0) };
    const { sent, requests } = aNetwork(later);
    expect((await skillFetch(requests, RUN)(URL_OF_RATES)).status).toBe(429);
    expect(sent).toHaveLength(1);
  });

  it('names a write the same in each run of a turn, and equal writes of a run apart', async () => {
    const keysOf = async (idempotencyKey: string): Promise<readonly unknown[]> => {
      const { sent, requests } = aNetwork();
      const fetch = skillFetch(requests, { ...RUN, idempotencyKey });
      for (const json of [{ pay: 1 }, { pay: 1 }, { pay: 2 }]) await fetch(URL_OF_RATES, { json });
      return sent.map(({ headers }) => headers['idempotency-key']);
    };
    const keys = await keysOf('task:1');
    expect(new Set(keys).size).toBe(3);
    expect(await keysOf('task:1')).toEqual(keys);
    expect(await keysOf('task:2')).not.toEqual(keys);
  });

  it('names the writes of a step the same in a run that skips the steps before it, and in each attempt of the step', async () => {
    const { sent, requests } = aNetwork();
    const pay = (fetch: SkillFetch) => () => fetch(URL_OF_RATES, { json: { pay: 1 } });
    const first = pay(skillFetch(requests, RUN));
    await inStep('first', first);
    await inStep('second', first);
    await inStep('second', first);
    await inStep('second', pay(skillFetch(requests, RUN)));
    const [ofFirst, ...ofSecond] = sent.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(ofSecond).size).toBe(1);
    expect(ofSecond).not.toContain(ofFirst);
  });

  it("sends a key of the skill's own in place of ours, and none with a GET", async () => {
    const { sent, requests } = aNetwork();
    const fetch = skillFetch(requests, RUN);
    await fetch(URL_OF_RATES, { json: {}, headers: { 'Idempotency-Key': 'mine' } });
    await fetch(URL_OF_RATES);
    expect(sent.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', undefined]);
  });

  it('ends with the run, also while it waits for the next attempt', async () => {
    const controller = new AbortController();
    const { requests } = aNetwork({ status: 503, headers: { 'retry-after': '10' }, body: Buffer.alloc(0) });
    const fetched = skillFetch(requests, { ...RUN, signal: () => controller.signal })(URL_OF_RATES);
    setImmediate(() => controller.abort());
    await expect(fetched).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('says which service was too slow, without its path', async () => {
    const send = ({ signal }: OutgoingRequest): Promise<IncomingAnswer> =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      });
    const fetched = skillFetch({ send }, RUN)(`${URL_OF_RATES}?key=secret`, { timeoutMs: 5, attempts: 1 });
    await expect(fetched).rejects.toThrow('https://rates.example did not answer within 5 ms');
  });

  it('gives answers without a body', async () => {
    const { requests } = aNetwork({ status: 204, headers: {}, body: Buffer.alloc(0) });
    expect((await skillFetch(requests, RUN)(URL_OF_RATES, { method: 'DELETE' })).status).toBe(204);
  });
});
