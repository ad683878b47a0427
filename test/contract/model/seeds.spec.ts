import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { scripted } from '@parley/sdk/model';
import { runFlow } from '@parley/sdk/testing';
import { InvoiceDesk, InvoiceStep } from '../skill/docs/invoice-desk.agent.js';
import { Onboarding } from '../skill/docs/onboarding.agent.js';
import { Analysis } from '../agent/docs/text-analysis.agent.js';

/** Lines of code: without blanks, comments and imports. */
function linesOf(file: string): number {
  const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  const lines = text.replaceAll(/\/\*[^]*?\*\//g, '').split('\n');
  return lines.filter((line) => line.trim() !== '' && !/^import |^\/\//.test(line)).length;
}

describe('agents of the seeds', () => {
  it.each([
    ['2.1, an orchestrator of two agents', 'skill/docs/report-desk.agent.ts', 24],
    ['5.1, a pipeline', 'skill/docs/onboarding.agent.ts', 32],
    ['8.2, an agent elsewhere as a tool and as a step', 'skill/docs/invoice-desk.agent.ts', 67],
    ['5.2, branches', 'agent/docs/text-analysis.agent.ts', 18],
  ])('have no more lines than seed 002 § %s (LLM-02, S9)', (_what, file, most) => {
    expect(linesOf(file)).toBeLessThanOrEqual(most);
  });

  it('ask an agent elsewhere, by a model and without one (SEED 002 § 8.2, LLM-06)', async () => {
    const children = { 'remote:invoices': () => 'It is paid.' };
    const models = scripted({ tools: { query_invoices: { text: '4711' } } }, 'Yes.');
    const byModel = await runFlow(InvoiceDesk, { text: 'Is 4711 paid?', children, models, crashAfter: 'each' });
    expect(byModel.artifacts[0]?.parts.map((part) => ('text' in part ? part.text : ''))).toEqual(['Yes.']);
    expect(await runFlow(InvoiceStep, { text: 'Is 4711 paid?', children })).toMatchObject({ state: 'completed' });
  });

  it('analyse a text at the same time, wherever the process crashes (SEED 002 § 5.2, LLM-02)', async () => {
    const models = {
      name: 'two',
      complete: ({ messages: [head] }: { readonly messages: readonly { readonly text: string }[] }) => {
        const text = head?.text.startsWith('Judge') === true ? 'good' : 'sea, moon';
        return Promise.resolve({ text, toolCalls: [], usage: { input: 1, output: 1 }, finish: 'stop' as const });
      },
    };
    const run = await runFlow(Analysis, { text: 'I love tides.', models, crashAfter: 'each' });
    expect(run.output).toEqual({ mood: 'good', keywords: 'sea, moon' });
    expect(run.rounds).toHaveLength(2);
  });

  it('read a user from a text and greet them, or refuse them (SEED 002 § 5.1, LLM-02)', async () => {
    const user = { name: 'Ada', email: 'ada@example.com', language: 'german' };
    const models = scripted(JSON.stringify(user), 'Guten Tag, Ada.');
    const run = await runFlow(Onboarding, { text: 'Ada, ada@example.com', models, crashAfter: 'each' });
    expect(run.artifacts[0]?.parts).toEqual([{ text: 'Guten Tag, Ada.' }]);
    expect(run.rounds[1]?.request.messages[0]).toEqual({ role: 'system', text: 'Greet the user in german.' });
    const refused = scripted(JSON.stringify({ ...user, email: 'ada@example.invalid' }));
    expect(await runFlow(Onboarding, { text: 'Ada', models: refused })).toMatchObject({ state: 'rejected' });
  });
});
