import { describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { Concierge } from '../../../skills/concierge/concierge.agent.js';
import { MODEL_LIMITS } from '@parley/sdk/model/model.js';
import { RulesModel } from '@parley/sdk/model/rules/rules.model.js';
import { ModelModule } from '../../../src/models/model.module.js';
import { chooseTool } from '@parley/sdk/model/rules/choose-tool.js';
import { scripted } from '@parley/sdk/model/scripted/scripted.model.js';
import { OpenAiModel } from '../../../src/models/openai/openai.model.js';
import { allSkills } from '@parley/sdk/model/skill-tool.js';
import { catalogOf } from '@parley/sdk/skill/start-check.js';
import { loadPacks } from '../../../src/skill/pack/load-packs.js';
import { SkillModule } from '../../../src/skill/skill.module.js';
import { SkillRegistry } from '../../../src/skill/skill.registry.js';
import type { SkillEvent } from '@parley/sdk/skill/events.js';
import { skillOptionsOf } from '@parley/sdk/skill/skill.js';
import { runFlow } from '@parley/sdk/testing/run-flow.js';
import { runSkill } from '@parley/sdk/testing/run-skill.js';
import { fetchTransport, OpenAiStub } from '../../kit/stubs/openai-stub.js';
import { REQUESTS } from './requests.js';

/** The skills that come with the service. */
async function ownSkills() {
  const packs = await loadPacks();
  return packs.flatMap((pack) => pack.skills.map(({ skill }) => skill));
}

/** Their tools. */
async function ownTools() {
  const options = (await ownSkills()).flatMap((skill) => skillOptionsOf(skill) ?? []);
  return allSkills({ except: ['concierge'] }).offers(catalogOf(options));
}

const textOf = (events: readonly SkillEvent[]): string =>
  events.flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : ''))).join('');

describe('rules without a language model', () => {
  it('find the skill of at least 54 of 60 requests (O-21)', async () => {
    const tools = (await ownTools()).map(({ tool }) => tool);
    const wrong = REQUESTS.filter(([text, skill]) => chooseTool(text, tools)?.name !== skill);
    expect(REQUESTS).toHaveLength(60);
    expect(wrong.length).toBeLessThanOrEqual(6);
  });
});

describe('concierge', () => {
  it('is given the skills of the service, itself left out', async () => {
    const packs = await loadPacks(['concierge', 'echo', 'countdown']);
    const model = { port: new RulesModel(), limits: MODEL_LIMITS, priceIn: 0, priceOut: 0 };
    const module = await Test.createTestingModule({
      imports: [ModelModule.forRoot(model), SkillModule.forPacks(packs)],
    }).compile();
    const offered = allSkills({ except: ['concierge'] }).offers(module.get(SkillRegistry).catalog);
    expect(offered.map(({ tool: { name } }) => name)).toEqual(['echo', 'countdown']);
  });

  it('passes a request on, and answers with what the skill says (O-31)', async () => {
    const skills = await ownSkills();
    const children = { summarize_text: (input: unknown) => `short: ${JSON.stringify(input).length > 10}` };
    const byRules = await runSkill(Concierge, { text: 'Summarize this article', skills, children });
    expect(textOf(byRules)).toBe('short: true');
    const models = scripted({ tools: { summarize_text: { text: 'an article' } } }, 'It is about rain.');
    const spoken = await runSkill(Concierge, { text: 'What is it about?', skills, children, models });
    expect(textOf(spoken)).toBe('It is about rain.');
  });

  it('hands the conversation over, files and all (O-22)', async () => {
    const skills = await ownSkills();
    const pdf = { raw: 'AA==', mediaType: 'application/pdf', filename: 'invoice.pdf' };
    const children = { extract_invoice_data: () => ({ total: 12 }) };
    const input = { text: 'Extract the data of this invoice', parts: [pdf], skills, children };
    const { calls } = await runFlow(Concierge, input);
    expect(calls).toMatchObject([{ skillId: 'extract_invoice_data', isTransfer: true }]);
    expect(calls[0]?.input).toContainEqual(pdf);
  });

  it('hands each of 60 requests to the skill that a model names, over the wire of OpenAI (O-22)', async () => {
    const wanted = new Map(REQUESTS);
    const stub = await OpenAiStub.start(async ({ body: { messages } }) => {
      const [last] = messages.slice(-1);
      if (last?.role === 'tool') return { text: last.content };
      return { tool: wanted.get(last?.content ?? '') ?? '', given: { text: last?.content ?? '' } };
    });
    const own = await ownSkills();
    const ids = own.flatMap((skill) => skillOptionsOf(skill)?.id ?? []);
    const children = Object.fromEntries(ids.map((id) => [id, () => `done by ${id}`]));
    const models = new OpenAiModel({ url: stub.url, model: 'stub' }, fetchTransport);
    const right: string[] = [];
    for (const [text, skill] of REQUESTS) {
      const { calls, artifacts } = await runFlow(Concierge, { text, skills: own, children, models });
      const said = artifacts.flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : ''))).join('');
      if (calls.length === 1 && calls[0]?.skillId === skill && said === `done by ${skill}`) right.push(text);
    }
    const offered = new Set(stub.requests.flatMap(({ body }) => body.tools ?? []).map((tool) => tool.function.name));
    await stub.close();
    expect(right).toHaveLength(60);
    expect([...offered].sort()).toEqual(ids.filter((id) => id !== 'concierge').sort());
  });

  it('says what it can do where nothing fits', async () => {
    const events = await runSkill(Concierge, 'Bake a cake');
    expect(textOf(events)).toContain('No language model is configured');
  });
});
