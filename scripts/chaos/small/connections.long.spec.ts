import { describe, expect, it, jest } from '@jest/globals';
import { answers } from '../scenario/caller/answers.js';
import { callbacks } from '../scenario/outside/callbacks.js';
import { mcp } from '../scenario/outside/mcp.js';
import { remote } from '../scenario/outside/remote.js';
import { sentinel } from '../scenario/redis/sentinel.js';
import { streams } from '../scenario/caller/streams.js';
import { reportOf, TIMEOUT_MS } from './small-size.js';

jest.setTimeout(TIMEOUT_MS);

describe('the chaos proof at a small size: every promise holds', () => {
  it('for readers who are cut off while pub/sub loses everything (A2A-STRM-08)', () => {
    const settings = { apis: 2, workers: 1, disconnects: 40, 'silent-s': 3, 'longest-pause-ms': 300 };
    return reportOf(streams, { tasks: 5, settings });
  });

  it('for connections and processes of each role through failovers of distant Sentinels (I18, C1)', () =>
    reportOf(sentinel, { settings: { failovers: 1, connections: 9 } }));

  it('for calls to another service while processes of both are killed (F13)', async () => {
    const settings = { kills: 0, deaf: 0, processes: 2, standby: 1, 'kill-every-ms': 1_000 };
    const { figures } = await reportOf(remote, { tasks: 5, settings });
    expect(figures.killed).toMatchObject({ doubled: 0, doubtful: 0 });
  });

  it('for answers whose responses are lost, also through a mirror, while processes are killed (B1, A2A-SEND-14)', async () => {
    const settings = { mirrored: 2, callers: 4, 'kill-every-ms': 600, standby: 1 };
    const { figures } = await reportOf(answers, { tasks: 4, settings });
    expect(figures).toMatchObject({ own: { lost: 8, wrong: 0 }, mirrored: { wrong: 0 } });
  });

  it('for callbacks: forged ones wake nothing, many at once cause two polls (F12)', () =>
    reportOf(callbacks, { tasks: 1, settings: { storm: 60, lost: 0, 'storm-ms': 6_000 } }));

  it('for MCP: closed streams cancel, streams of a killed replica continue elsewhere, and no tool is called twice', async () => {
    const settings = { apis: 2, workers: 2, standby: 1, 'kill-every-ms': 100 };
    const { figures } = await reportOf(mcp, { tasks: 10, settings });
    expect(figures).toMatchObject({ cancelMs: { count: 10 }, resumeMs: { count: 10 } });
    expect((figures.once as { kills: number }).kills).toBeGreaterThan(0);
  });
});
