import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Lab } from '../system/lab.js';
import { withReaders } from '../load/with-readers.js';
import { weighStreams, type WeighedStreams } from './stream-weight.js';
import { SYSTEMS } from '../system/system.js';

const COUNT = 500;
/** 0.99 in each run, on a busy machine too; 1.07 where a listener keeps its request. */
const MOST = 1.05;
const TIMEOUT_MS = 120_000;

let lab: Lab;

beforeEach(async () => {
  lab = await Lab.open({ rounds: 1, seconds: 1, quick: true, systems: SYSTEMS }, () => undefined);
}, TIMEOUT_MS);

afterEach(() => lab.close(), TIMEOUT_MS);

/** Bytes of one stream on the heap of a process of its own. */
async function weightOf(order: WeighedStreams['order']): Promise<number> {
  const system = await lab.start('parley', { variables: { MCP: 'true' } });
  return withReaders((readers) => weighStreams({ system, readers, order, count: COUNT }, () => system.heap()));
}

it(
  'a subscription of MCP weighs no more than a stream of A2A (MCP-SESSION-4)',
  async () => {
    const [stream, listener] = [await weightOf('subscribe'), await weightOf('listen')];
    // A stream that weighs nothing was not open.
    expect(stream).toBeGreaterThan(1_024);
    expect(listener / stream).toBeLessThan(MOST);
  },
  TIMEOUT_MS,
);
