import { describe, expect, it } from '@jest/globals';
import { StreamMemory } from './stream-memory.js';

describe(StreamMemory.name, () => {
  it('disconnects the readers that have held their events for longest, and no more than necessary', () => {
    const memory = new StreamMemory(100);
    const cut: string[] = [];
    for (const name of ['first', 'second', 'third']) memory.hold(30, () => cut.push(name));
    expect(cut).toEqual([]);
    memory.hold(60, () => cut.push('large'));
    expect(cut).toEqual(['first', 'second']);
    expect(memory.bytes).toBe(90);
  });

  it('spares readers that have received theirs', () => {
    const memory = new StreamMemory(100);
    const cut: string[] = [];
    const free = memory.hold(60, () => cut.push('fast'));
    memory.hold(30, () => cut.push('slow'));
    free();
    free();
    memory.hold(60, () => cut.push('next'));
    expect(cut).toEqual([]);
    expect(memory.bytes).toBe(90);
  });

  it('admits an event that is larger than the whole budget', () => {
    const memory = new StreamMemory(100);
    const cut: string[] = [];
    memory.hold(10, () => cut.push('small'));
    const free = memory.hold(500, () => cut.push('large'));
    expect(cut).toEqual(['small']);
    free();
    expect(memory.bytes).toBe(0);
  });
});
