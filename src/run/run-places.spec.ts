import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../test/kit/eventually.js';
import { RunPlaces } from './run-places.js';

const SKILLS = [{ id: 'wide' }, { id: 'narrow', concurrency: 1 }, { id: 'pair', concurrency: 2 }];

describe(RunPlaces.name, () => {
  it('gives no more places than there are, and each once', () => {
    const places = new RunPlaces(2, SKILLS);
    const [first, second] = [places.take('wide'), places.take('wide')];
    expect(places.take('wide')).toBeUndefined();
    first?.();
    first?.();
    expect(places.free).toBe(1);
    second?.();
    expect(places.free).toBe(2);
  });

  it('gives a limited skill no more than it allows, and leaves the others alone (I11)', () => {
    const places = new RunPlaces(10, SKILLS);
    expect(places.openSkills).toBe('all');
    const leave = places.take('narrow');
    expect(places.take('narrow')).toBeUndefined();
    expect(places.openSkills).toEqual(['wide', 'pair']);
    expect(places.take('wide')).toBeDefined();
    leave?.();
    expect(places.openSkills).toBe('all');
    expect(places.take('narrow')).toBeDefined();
  });

  it('takes skills that it does not know, up to its own limit', () => {
    expect(new RunPlaces(1, SKILLS).take('unknown')).toBeDefined();
  });

  it('says when the last place was given back, or that its time was up', async () => {
    const places = new RunPlaces(2, SKILLS);
    expect(await places.emptied(0)).toBe(true);
    const leave = places.take('wide');
    expect(await places.emptied(1)).toBe(false);
    const emptied = places.emptied(60_000);
    leave?.();
    await eventually(async () => expect(await emptied).toBe(true));
  });

  it('gives none any more once it is closed', () => {
    const places = new RunPlaces(2, SKILLS);
    places.close();
    expect(places.free).toBe(0);
    expect(places.take('wide')).toBeUndefined();
  });
});
