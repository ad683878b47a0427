import { describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../../../test/kit/run/eventually.js';
import { RunSlots } from './run-slots.js';

const SKILLS = [{ id: 'wide' }, { id: 'narrow', concurrency: 1 }, { id: 'pair', concurrency: 2 }];

describe(RunSlots.name, () => {
  it('gives no more slots than there are, and each once', () => {
    const slots = new RunSlots(2, SKILLS);
    const [first, second] = [slots.take('wide'), slots.take('wide')];
    expect(slots.take('wide')).toBeUndefined();
    first?.release();
    first?.release();
    expect(slots.free).toBe(1);
    second?.release();
    expect(slots.free).toBe(2);
  });

  it('gives a limited skill no more than it allows, and leaves the others alone (I11)', () => {
    const slots = new RunSlots(10, SKILLS);
    expect(slots.openSkills).toBe('all');
    const narrow = slots.take('narrow');
    expect(slots.take('narrow')).toBeUndefined();
    expect(slots.openSkills).toEqual(['wide', 'pair']);
    expect(slots.take('wide')).toBeDefined();
    narrow?.release();
    expect(slots.openSkills).toBe('all');
    expect(slots.take('narrow')).toBeDefined();
  });

  it('says when no slot is left, for whoever can do without its own (I11)', () => {
    const slots = new RunSlots(2, SKILLS);
    const said: string[] = [];
    const unwatch = slots.whenFull(() => said.push('full'));
    const first = slots.take('wide');
    expect(said).toEqual([]);
    slots.take('wide');
    expect(said).toEqual(['full']);
    first?.release();
    slots.hold(true);
    expect(said).toEqual(['full', 'full']);
    unwatch();
    slots.close();
    expect(said).toEqual(['full', 'full']);
  });

  it('accepts unknown skills, up to its own limit', () => {
    expect(new RunSlots(1, SKILLS).take('unknown')).toBeDefined();
  });

  it('resolves when the last slot is released, or on the timeout', async () => {
    const slots = new RunSlots(2, SKILLS);
    expect(await slots.emptyWithin(0)).toBe(true);
    const wide = slots.take('wide');
    expect(await slots.emptyWithin(1)).toBe(false);
    const emptied = slots.emptyWithin(60_000);
    wide?.release();
    await eventually(async () => expect(await emptied).toBe(true));
  });

  it('lets another run begin in a slot that was passed on, and is empty when both have ended', async () => {
    const slots = new RunSlots(1, SKILLS);
    const ending = slots.take('narrow');
    ending?.pass();
    ending?.pass();
    expect(slots.free).toBe(1);
    const next = slots.take('narrow');
    expect(next).toBeDefined();
    ending?.release();
    expect(slots.free).toBe(0);
    expect(await slots.emptyWithin(0)).toBe(false);
    next?.release();
    expect(await slots.emptyWithin(0)).toBe(true);
  });

  it('is not empty while the last commit of a run is in progress', async () => {
    const slots = new RunSlots(1, SKILLS);
    const ending = slots.take('wide');
    ending?.pass();
    expect(await slots.emptyWithin(0)).toBe(false);
    ending?.release();
    expect(await slots.emptyWithin(0)).toBe(true);
  });

  it('has more than one while the code of a stopped run has not ended, for two minutes at most (I17)', async () => {
    jest.useFakeTimers();
    const slots = new RunSlots(2, SKILLS);
    const [stopped, deaf] = [slots.take('wide'), slots.take('wide')];
    let end: () => void = () => undefined;
    stopped?.linger(new Promise<void>((resolve) => (end = resolve)));
    stopped?.release();
    expect([slots.free, slots.hasOne]).toEqual([1, false]);
    const alone = slots.oneWithin(60_000, new AbortController().signal);
    end();
    expect(await alone).toBe(true);
    deaf?.linger(new Promise(() => undefined));
    deaf?.release();
    // A process that leaves does not wait for it.
    expect(await slots.emptyWithin(0)).toBe(true);
    slots.take('wide');
    expect(slots.hasOne).toBe(false);
    await jest.advanceTimersByTimeAsync(120_000);
    expect(slots.hasOne).toBe(true);
    jest.useRealTimers();
  });

  it('gives none while a suspect begins', () => {
    const slots = new RunSlots(2, SKILLS);
    slots.hold(true);
    expect(slots.free).toBe(0);
    expect(slots.take('wide')).toBeUndefined();
    slots.hold(false);
    expect(slots.take('wide')).toBeDefined();
  });

  it('gives none once it is closed', () => {
    const slots = new RunSlots(2, SKILLS);
    slots.close();
    expect(slots.free).toBe(0);
    expect(slots.take('wide')).toBeUndefined();
  });
});
