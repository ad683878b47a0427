import { describe, expect, it, jest } from '@jest/globals';
import { cascade } from '../scenario/tree/cascade.js';
import { coordinator } from '../scenario/tree/coordinator.js';
import { fanout } from '../scenario/tree/fanout.js';
import { questions } from '../scenario/caller/questions.js';
import { trees } from '../scenario/tree/trees.js';
import { reportOf, TIMEOUT_MS } from './small-size.js';

jest.setTimeout(TIMEOUT_MS);

describe('the chaos proof at a small size: every promise holds', () => {
  it('for trees of tasks while workers are killed, and at named points of their life (F1, F2)', async () => {
    const settings = { workers: 3, standby: 2, 'kill-every-ms': 150, 'point-trees': 1, passes: 2, kills: 1 };
    const { figures } = await reportOf(trees, { tasks: 8, settings });
    expect(figures.kills).toBeGreaterThan(0);
  });

  it('for a fan-out within its limit, whose parent is woken once (F6)', () =>
    reportOf(fanout, { tasks: 2, settings: { width: 40 } }));

  it('for questions of many leaves that are answered in any order while workers are killed (O-42, F11)', () =>
    reportOf(questions, { tasks: 3, settings: { workers: 2, standby: 1, width: 4 } }));

  it('for coordinators whose workers are killed in calls of models and tools (F16)', async () => {
    const settings = { workers: 2, standby: 1, rounds: 4, 'kill-every-ms': 500 };
    const { figures } = await reportOf(coordinator, { tasks: 5, settings });
    expect(figures.kills).toBeGreaterThan(0);
  });

  it('for trees that are canceled at their root (F9)', () =>
    reportOf(cascade, { tasks: 1, settings: { children: 30, remote: 3, deaf: 2 } }));
});
