import { describe, expect, it } from '@jest/globals';
import { scripted } from '@parley/sdk/model';
import { runFlow } from '@parley/sdk/testing';
import { TravelDesk } from './travel-desk.agent.js';

describe('travel_desk', () => {
  it('books by the contract of its answer, wherever the process crashes (O-24)', async () => {
    const models = scripted(
      { tools: { weather: { city: 'Lisbon' }, find_flight: { text: 'to Lisbon' } } },
      { tools: { reserve_seat: { text: 'TP 572' } } },
      '{"flight": "TP 572", "seat": "7a"}',
    );
    const children = { find_flight: () => 'TP 572', reserve_seat: () => '7a' };
    const fetch = () => new Response('sunny');
    const answers = ['approve'];
    const run = await runFlow(TravelDesk, { text: 'To Lisbon', models, children, fetch, answers, crashAfter: 'each' });
    expect(run.output).toEqual({ flight: 'TP 572', seat: '7a' });
    expect(run.calls.map(({ skillId }) => skillId)).toEqual(['find_flight', 'reserve_seat']);
    expect(run.rounds).toHaveLength(3);
  });
});
