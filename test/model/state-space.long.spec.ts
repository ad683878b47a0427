import { describe, expect, it } from '@jest/globals';
import { explore } from './explore.js';
import type { Mutation } from './task-world.js';

describe('every world that a task can come to', () => {
  it('has one end, no write of a replaced run, no dropped message, and a way to rest without the caller (O-43)', () => {
    const { states, faults, stuck } = explore();

    expect(faults).toEqual([]);
    expect(stuck).toEqual([]);
    expect(states).toBeGreaterThan(19_000);
  });

  it.each<[Mutation, string]>([
    ['no fencing', 'a write of a run that was replaced'],
    ['no terminal guard', 'an event after the end'],
    ['a job claims twice', 'two workers write for one run'],
    ['settling what has moved', 'an event after the end'],
    ['a commit overtakes a cancel', 'an end after a cancel'],
    ['a lost run keeps its fence', 'two workers write for one run'],
    ['the end drops messages in line', 'an accepted message was dropped'],
    ['a park does not look for messages', 'a task waits for a message that has come'],
    ['a parked task is claimed', 'a parked task was run'],
  ])('is seen to break when a rule is left out: %s', (mutation, fault) => {
    expect(explore(mutation).faults.map((found) => found.fault)).toContain(fault);
  });

  it.each<[Mutation]>([
    ['no sweep'],
    ['resume without a wish, and no sweep'],
    ['nothing ends a wait'],
    ['a wake asks for no run, and no sweep'],
  ])('is seen to hold tasks that never rest: %s', (mutation) => {
    expect(explore(mutation).stuck.length).toBeGreaterThan(0);
  });
});
