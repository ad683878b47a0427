import { describe, expect, it } from '@jest/globals';
import { scripted } from '@parley/sdk/model';
import { runFlow } from '@parley/sdk/testing';
import { ReportDesk } from './report-desk.agent.js';

describe('report_orchestrator', () => {
  it('lets its agents work in turn; a crash after each step asks no model twice (LLM-02, LLM-12)', async () => {
    const models = {
      strong: scripted({ tools: { researcher: { text: 'tides' } } }, { tools: { writer: { text: 'facts' } } }, 'Done.'),
      fast: scripted('The moon pulls.', 'A report.'),
    };
    const run = await runFlow(ReportDesk, { text: 'Report on tides', models, crashAfter: 'each' });
    expect(run.rounds.map(({ model, tools }) => [model, ...tools])).toEqual([
      ['strong', 'researcher'],
      ['fast'],
      ['strong', 'writer'],
      ['fast'],
      ['strong'],
    ]);
    expect(run.artifacts).toMatchObject([{ parts: [{ text: 'Done.' }] }]);
  });
});
