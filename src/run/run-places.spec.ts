import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../test/kit/eventually.js';
import { RunPlaces } from './run-places.js';

const SKILLS = [{ id: 'wide' }, { id: 'narrow', concurrency: 1 }, { id: 'pair', concurrency: 2 }];

describe(RunPlaces.name, () => {
  it('gives no more places than there are, and each once', () => {
    const places = new RunPlaces(2, SKILLS);
    const [first, second] = [places.take('wide'), places.take('wide')];
    expect(places.take('wide')).toBeUndefined();
    first?.leave();
    first?.leave();
    expect(places.free).toBe(1);
    second?.leave();
    expect(places.free).toBe(2);
  });

  it('gives a limited skill no more than it allows, and leaves the others alone (I11)', () => {
    const places = new RunPlaces(10, SKILLS);
    expect(places.openSkills).toBe('all');
    const narrow = places.take('narrow');
    expect(places.take('narrow')).toBeUndefined();
    expect(places.openSkills).toEqual(['wide', 'pair']);
    expect(places.take('wide')).toBeDefined();
    narrow?.leave();
    expect(places.openSkills).toBe('all');
    expect(places.take('narrow')).toBeDefined();
  });

  it('takes skills that it does not know, up to its own limit', () => {
    expect(new RunPlaces(1, SKILLS).take('unknown')).toBeDefined();
  });

  it('says when the last place was given back, or that its time was up', async () => {
    const places = new RunPlaces(2, SKILLS);
    expect(await places.emptied(0)).toBe(true);
    const wide = places.take('wide');
    expect(await places.emptied(1)).toBe(false);
    const emptied = places.emptied(60_000);
    wide?.leave();
    await eventually(async () => expect(await emptied).toBe(true));
  });

  it('lets another run begin in a slot that was passed on, and is empty when both are over', async () => {
    const places = new RunPlaces(1, SKILLS);
    const ending = places.take('narrow');
    ending?.pass();
    ending?.pass();
    expect(places.free).toBe(1);
    const next = places.take('narrow');
    expect(next).toBeDefined();
    ending?.leave();
    expect(places.free).toBe(0);
    expect(await places.emptied(0)).toBe(false);
    next?.leave();
    expect(await places.emptied(0)).toBe(true);
  });

  it('is not empty while the last commit of a run is on its way', async () => {
    const places = new RunPlaces(1, SKILLS);
    const ending = places.take('wide');
    ending?.pass();
    expect(await places.emptied(0)).toBe(false);
    ending?.leave();
    expect(await places.emptied(0)).toBe(true);
  });

  it('gives none any more once it is closed', () => {
    const places = new RunPlaces(2, SKILLS);
    places.close();
    expect(places.free).toBe(0);
    expect(places.take('wide')).toBeUndefined();
  });
});
