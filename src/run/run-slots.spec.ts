import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../test/kit/eventually.js';
import { RunSlots } from './run-slots.js';

const SKILLS = [{ id: 'wide' }, { id: 'narrow', concurrency: 1 }, { id: 'pair', concurrency: 2 }];

describe(RunSlots.name, () => {
  it('gives no more slots than there are, and each once', () => {
    const slots = new RunSlots(2, SKILLS);
    const [first, second] = [slots.take('wide'), slots.take('wide')];
    expect(slots.take('wide')).toBeUndefined();
    first?.();
    first?.();
    expect(slots.free).toBe(1);
    second?.();
    expect(slots.free).toBe(2);
  });

  it('gives a limited skill no more than it allows, and leaves the others alone (I11)', () => {
    const slots = new RunSlots(10, SKILLS);
    expect(slots.openSkills).toBe('all');
    const leave = slots.take('narrow');
    expect(slots.take('narrow')).toBeUndefined();
    expect(slots.openSkills).toEqual(['wide', 'pair']);
    expect(slots.take('wide')).toBeDefined();
    leave?.();
    expect(slots.openSkills).toBe('all');
    expect(slots.take('narrow')).toBeDefined();
  });

  it('takes skills that it does not know, up to its own limit', () => {
    expect(new RunSlots(1, SKILLS).take('unknown')).toBeDefined();
  });

  it('says when the last slot was given back, or that its time was up', async () => {
    const slots = new RunSlots(2, SKILLS);
    expect(await slots.emptied(0)).toBe(true);
    const leave = slots.take('wide');
    expect(await slots.emptied(1)).toBe(false);
    const emptied = slots.emptied(60_000);
    leave?.();
    await eventually(async () => expect(await emptied).toBe(true));
  });

  it('gives none any more once it is closed', () => {
    const slots = new RunSlots(2, SKILLS);
    slots.close();
    expect(slots.free).toBe(0);
    expect(slots.take('wide')).toBeUndefined();
  });
});
