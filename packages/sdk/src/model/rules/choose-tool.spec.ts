import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chooseTool } from './choose-tool.js';
import { RulesModel } from './rules.model.js';

const tool = (name: string, description: string, examples: readonly string[] = []) => ({
  ...{ name, description, examples, parameters: { properties: { text: { type: 'string' } } } },
});
const TOOLS = [
  tool('summarize_text', 'Shortens an English text to its main sentences', ['Summarize this article for me']),
  tool('countdown', 'Counts down from a number', ['10']),
  tool('validate_invoice', 'Checks whether an invoice obeys the rules of EN 16931', ['Is this invoice correct?']),
];

describe(chooseTool.name, () => {
  it.each([
    ['Please make a summary of this article', 'summarize_text'],
    ['shorten the following text', 'summarize_text'],
    ['count down from 5', 'countdown'],
    ['are these invoices valid?', 'validate_invoice'],
    ['check the invoice against the rule set', 'validate_invoice'],
    ['bake a chocolate cake', undefined],
    ['', undefined],
  ])('"%s" is for %s', (text, name) => {
    expect(chooseTool(text, TOOLS)?.name).toBe(name);
  });

  it('chooses the same whatever else is unknown in the text', () => {
    fc.assert(
      fc.property(fc.constantFrom('!', '?', '  ', '\n'), (noise) => {
        expect(chooseTool(`${noise}count${noise}down${noise}`, TOOLS)?.name).toBe('countdown');
      }),
    );
  });
});

describe(RulesModel.name, () => {
  it("gives the text to the field that can take it, repeats the tool's answer, and says that it is no language model", async () => {
    const model = new RulesModel();
    const options = { signal: new AbortController().signal, idempotencyKey: 'k' };
    const user = { role: 'user', text: 'count down from 5' } as const;
    const first = await model.complete({ messages: [user], tools: TOOLS }, options);
    expect(first.toolCalls).toMatchObject([{ name: 'countdown', arguments: { text: 'count down from 5' } }]);
    const result = { role: 'tool', callId: 'call-1', name: 'countdown', text: '5 4 3' } as const;
    const messages = [user, { role: 'assistant', text: '', toolCalls: first.toolCalls } as const, result];
    expect(await model.complete({ messages, tools: TOOLS }, options)).toMatchObject({ text: '5 4 3', finish: 'stop' });
    const help = await model.complete({ messages: [{ role: 'user', text: 'cake' }], tools: TOOLS }, options);
    expect(help.text).toMatch(/^No language model is configured \(MODEL_URL\)\. .*\n- summarize_text: Shortens/);
  });
});
