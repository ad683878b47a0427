import { expect, it } from '@jest/globals';
import { eventually } from '../../test/kit/run/eventually.js';
import { headersOf, type End, unfinishedBodies, unfinishedMessages, unreadAnswers } from './attacks.js';
import { Fleet, KEYS } from './fleet.js';
import { hasMemoryGroups } from './memory-group.js';

const TIMEOUT_MS = 300_000;
const BODIES = 100;
const MESSAGES = 30;
const READS = 50;
/** Reads of another tenant while all attacks continue. */
const OTHER_READS = 100;
const FILE = 'A'.repeat(9_700_000);

const itInGroups = hasMemoryGroups() ? it : it.skip;

itInGroups(
  'one client ends no process that has the memory of the chart, and refuses no other tenant (A0, A1, A6, I15)',
  async () => {
    const fleet = await Fleet.start('localhost:1');
    const ends: End[] = [];
    try {
      const id = await fleet.largeTask('greedy', FILE);
      const own = await fleet.send('modest', 'hello');
      const [greedy, modest] = [fleet.target('greedy'), { headers: headersOf(KEYS.modest) }];
      const reads = [`/tasks/${id}`, `/v1/tasks/${id}`, `/console/api/tasks/${id}/content`];
      const calls = reads.map((path) => ({ method: 'GET' as const, path, body: '' }));
      ends.push(unfinishedBodies(greedy, ['/', '/run', '/mcp', '/message:send', '/nothing/here'], BODIES));
      ends.push(unfinishedMessages(fleet.grpc, KEYS.greedy, MESSAGES), unreadAnswers(greedy, calls, READS));
      const read = async (): Promise<number> => {
        const answer = await fetch(`${fleet.url}/tasks/${own}`, modest);
        await answer.text();
        return answer.status;
      };
      for (let at = 0; at < OTHER_READS; at += 1) expect(await read()).not.toBe(429);
      expect(fleet.memory()).toMatchObject({ killed: 0 });
      for (const end of ends.splice(0)) end();
      await eventually(async () => expect(await read()).toBe(200), { timeoutMs: 20_000 });
    } finally {
      for (const end of ends) end();
      await fleet.stop();
    }
  },
  TIMEOUT_MS,
);
