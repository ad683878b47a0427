import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CallFailed } from '@parley/sdk';
import { runFlow } from '@parley/sdk/testing';
import { skillOptionsOf, type SkillOptions } from '@parley/sdk/skill/skill.js';
import { catalogOf, startFaults } from '@parley/sdk/skill/start-check.js';
import { AnalyzeTextAgent } from './analyze-text.agent.js';
import { AnswerMailAgent } from './answer-mail.agent.js';
import { BookTripAgent } from './book-trip.agent.js';
import { CompareOffersAgent } from './compare-offers.agent.js';
import { ChooseNameAgent } from './choose-name.agent.js';
import { FrontDeskAgent } from './front-desk.agent.js';
import { ApproveInvoiceSkill, BookInvoiceSkill } from './invoice-events.skill.js';
import { OnboardUserAgent } from './onboarding/onboard-user.agent.js';
import { OrderPartsAgent } from './order-parts.agent.js';
import { RefineDraftAgent } from './refine-draft.agent.js';
import { ResolveNetworkIssueAgent } from './resolve-network-issue.agent.js';
import { RouteSummaryAgent } from './route-summary.agent.js';
import { SendParcelAgent, SendParcelV0Agent } from './send-parcel.agent.js';
import { CollectUserSkill, ValidateEmailSkill } from './onboarding/user.skill.js';
import { WriteReportAgent } from './write-report.agent.js';

const FOLDER = new URL('./', import.meta.url);
const page = (name: string): string => readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8');
const guides = readdirSync(new URL('../../../../docs/agents/', import.meta.url)).map((name) => page(`agents/${name}`));
const doc = [page('agents.md'), ...guides].join('\n');
const examples = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(agent|skill|node)\./.test(name))
  .map((name) => readFileSync(new URL(name, FOLDER), 'utf8'));
const blocks = [...(doc + page('from-langgraph.md')).matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);

describe('the guides for authors of agents', () => {
  it('shows code', () => {
    expect(blocks.length).toBeGreaterThan(8);
  });

  it.each(blocks)('shows only code that is compiled and tested here: %j', (block) => {
    expect(examples.filter((text) => text.includes(block))).toHaveLength(1);
  });

  it('has examples that pass the checks of the start', () => {
    const agents = [
      AnalyzeTextAgent,
      AnswerMailAgent,
      BookTripAgent,
      ChooseNameAgent,
      CompareOffersAgent,
      FrontDeskAgent,
      OnboardUserAgent,
      OrderPartsAgent,
      RefineDraftAgent,
      ResolveNetworkIssueAgent,
      RouteSummaryAgent,
      SendParcelAgent,
      SendParcelV0Agent,
      WriteReportAgent,
    ];
    const called = [...(doc + page('from-langgraph.md')).matchAll(/'([a-z]+(?:_[a-z]+)+|research)'/g)].map(
      ([, id = '']) => about(id),
    );
    const own = [CollectUserSkill, ValidateEmailSkill, ...agents].flatMap((each) => skillOptionsOf(each) ?? []);
    const catalog = [...own, ...called.filter(({ id }) => own.every((other) => other.id !== id))];
    expect(agents.flatMap((each) => startFaults(each, new each(), catalogOf(catalog)))).toEqual([]);
  });
});

const about = (id: string): SkillOptions => ({ id, name: id, description: `About ${id}`, tags: [] });
const fails = (): never => {
  throw new CallFailed('x', 'failed', 'it broke');
};

describe('the patterns of the guides', () => {
  it('merges two views', async () => {
    const children = { rate_sentiment: () => 'glad', find_keywords: () => 'sea, cable' };
    const { artifacts } = await runFlow(AnalyzeTextAgent, { text: 'Oh!', children, crashAfter: 'each' });
    expect(artifacts[0]?.parts).toEqual([{ text: 'glad: sea, cable' }]);
  });

  it.each([
    ['My bill, please', 'Your bill is paid.'],
    ['A room with a view', 'You have room 7. Enjoy your stay!'],
  ])('hands the conversation over, and takes it back or not: %s (SEED-51)', async (text, answer) => {
    const children = { settle_bill: () => 'Your bill is paid.', choose_room: () => 'room 7' };
    const { artifacts } = await runFlow(FrontDeskAgent, { text, children, crashAfter: 'each' });
    expect(artifacts[0]?.parts).toEqual([{ text: answer }]);
  });

  it.each([
    ['legal', 'a lawyer read: x'],
    ['general', 'x'],
  ])('delegates by kind: %s (SEED-53)', async (kind, text) => {
    const children = {
      summarize_legal: (given: unknown) => `a lawyer read: ${String(given)}`,
      summarize_generic: String,
    };
    const { artifacts } = await runFlow(RouteSummaryAgent, { data: [{ kind, text: 'x' }], children });
    expect(artifacts[0]?.parts).toEqual([{ text }]);
  });

  it.each([
    [true, 'completed', []],
    [false, 'failed', ['refund_seat', 'release_seat']],
  ])('takes back what a trip has booked, unless it is paid: %s', async (isPaid, state, undone) => {
    const children = {
      reserve_seat: () => ({ seat: '7a' }),
      pay_seat: () => ({ isPaid }),
      release_seat: () => 'free',
      refund_seat: () => 'refunded',
    };
    const run = await runFlow(BookTripAgent, { text: 'Berlin', children, crashAfter: 'each' });
    expect(run).toMatchObject({ state, notUndone: [] });
    expect(run.undone.map(({ skillId }) => skillId)).toEqual(undone);
  });

  it('delegates nothing that is secret', async () => {
    const { state } = await runFlow(RouteSummaryAgent, { data: [{ kind: 'secret', text: 'x' }] });
    expect(state).toBe('rejected');
  });

  it.each([
    ['final', 'draft final (done after 1)'],
    ['more', 'draft more more more (exhausted after 3)'],
  ])('refines until %s', async (word, text) => {
    const improve = (draft: unknown) => `${Array.isArray(draft) ? 'draft' : String(draft)} ${word}`;
    const { artifacts } = await runFlow(RefineDraftAgent, { text: 'draft', children: { improve_draft: improve } });
    expect(artifacts[0]?.parts).toEqual([{ text }]);
  });

  it('repairs in a circle, and escalates at last', async () => {
    let count = 0;
    const children = {
      run_diagnostics: () => 'cable',
      repair_network: () => ({ count: ++count, works: false }),
      escalate_to_support: () => 'support is called',
    };
    const run = await runFlow(ResolveNetworkIssueAgent, { text: 'no network', children, crashAfter: 'each' });
    expect(run.artifacts[0]?.parts).toEqual([{ text: 'support is called' }]);
    expect(run.calls).toHaveLength(7);
  });

  it('joins the proposals of a quorum', async () => {
    const children = {
      propose_names: () => ({ names: ['Sol', 'Luna'] }),
      propose_short_names: fails,
      propose_old_names: fails,
    };
    const { artifacts } = await runFlow(ChooseNameAgent, { text: 'lamp', children, crashAfter: 'each' });
    expect(artifacts[0]?.parts).toEqual([{ text: 'Sol\nLuna' }]);
  });

  it('asks people, and orders what they approve', async () => {
    const children = { price_parts: () => '12 EUR', order_parts_now: JSON.stringify };
    const run = (answers: readonly unknown[]) =>
      runFlow(OrderPartsAgent, { text: 'bolt', children, answers, crashAfter: 'each' });
    expect((await run([4, 'approve'])).artifacts[0]?.parts).toEqual([{ text: '{"count":4}' }]);
    expect(await run([4, 'reject'])).toMatchObject({ state: 'rejected', text: 'The order was not approved.' });
  });

  it('coordinates in plain code', async () => {
    const children = { research: (given: unknown) => `about ${String(given)}`, write_up: JSON.stringify };
    const { artifacts } = await runFlow(WriteReportAgent, { text: 'Why?\nso\nHow?', children, crashAfter: 'each' });
    expect(artifacts[0]?.parts).toEqual([{ text: '{"findings":["about Why?","about How?"],"gaps":0}' }]);
  });

  it('publishes an event, once however often it is run', async () => {
    const input = { data: [{ id: 'i1', total: 5 }] };
    const { published } = await runFlow(ApproveInvoiceSkill, { ...input, crashAfter: 'each' });
    expect(published).toEqual([{ type: 'invoice.approved', subject: 'i1', data: { id: 'i1', total: 5 } }]);
    expect(await runFlow(BookInvoiceSkill, input)).toMatchObject({ state: 'completed', text: 'Booked i1' });
  });
});
