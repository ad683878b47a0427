import { IsIn, IsNumber, IsOptional, IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { DelegateSkill } from '../../../skills/delegate/delegate.skill.js';
import { artifact, inputRequired, rejected, type SkillEvent } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, SkillFailure, type SkillHandler } from '@parley/sdk/skill/skill.js';

const card = { tags: ['seed'], inputModes: ['application/json'], outputModes: ['application/json'], maxAttempts: 1 };

class SummarizeTextInput {
  @JSONSchema({ description: '要約対象テキスト' })
  @IsString()
  readonly text!: string;

  @JSONSchema({ description: 'サマリー長: short, medium, long' })
  @IsIn(['short', 'medium', 'long'])
  readonly length: string = 'medium';
}

class SummaryOutput {
  @IsString()
  readonly summary!: string;
}

/** `SummarizeTextNode` of seed 2 § 7.2. */
@Skill({
  ...card,
  id: 'summarize_text',
  name: 'Summarize text',
  description: '入力テキストのサマリーを生成します。',
  input: SummarizeTextInput,
  output: SummaryOutput,
})
export class SummarizeTextSkill implements SkillHandler {
  async *run({ input: { text, length } }: SkillContext<SummarizeTextInput>): AsyncGenerator<SkillEvent, void, void> {
    const summary = length === 'long' ? text.slice(0, 200) : `${text.slice(0, length === 'short' ? 50 : 100)}...`;
    yield artifact('summary', [{ data: { summary } }]);
  }
}

class ReviewInput {
  @IsString()
  readonly review!: string;
}

/** The intent of the HTTP example of § 6.2. */
@Skill({
  ...card,
  id: 'analyze_sentiment',
  name: 'Sentiment',
  description: 'Says how a review feels.',
  input: ReviewInput,
})
export class AnalyzeSentimentSkill implements SkillHandler {
  async *run({ input }: SkillContext<ReviewInput>): AsyncGenerator<SkillEvent, void, void> {
    yield artifact('sentiment', /love|great/.test(input.review) ? 'positive' : 'neutral');
  }
}

class EndingInput {
  @IsIn(['ask', 'fail', 'reject', 'wait', 'break'])
  readonly how!: string;

  @IsOptional()
  @IsString()
  readonly text?: string;
}

/** Ends as its input says; `wait` goes on until it is canceled. */
@Skill({ ...card, id: 'ending', name: 'Ending', description: 'Ends as it is told.', input: EndingInput })
export class EndingSkill implements SkillHandler {
  async *run({ input, waitFor, turn }: SkillContext<EndingInput>): AsyncGenerator<SkillEvent, void, void> {
    if (turn > 1) return;
    if (input.how === 'ask') yield inputRequired('How many days?');
    if (input.how === 'reject') yield rejected('Not today.');
    if (input.how === 'fail') throw new SkillFailure('The source is closed.');
    if (input.how === 'break') throw new Error('an unexpected fault');
    if (input.how === 'wait') await waitFor();
  }
}

class InvoiceInput {
  @IsString()
  readonly invoice_id!: string;
}

class InvoiceOutput {
  @IsString()
  readonly invoice_id!: string;

  @IsNumber()
  readonly total!: number;
}

/** The delegated intent of § 7.4: finds one invoice, has one without an amount, and no other. */
@Skill({
  ...card,
  id: 'fetch_invoice',
  name: 'Fetch an invoice',
  description: 'Fetches an invoice by its id.',
  input: InvoiceInput,
  output: InvoiceOutput,
  conditions: { invoice_retrieved: { type: 'object', properties: { total: { type: 'number', exclusiveMinimum: 0 } } } },
})
export class FetchInvoiceSkill implements SkillHandler {
  async *run({ input: { invoice_id: id } }: SkillContext<InvoiceInput>): AsyncGenerator<SkillEvent, void, void> {
    if (id === 'INV-7789') yield artifact('invoice', [{ data: { invoice_id: id, total: 5 } }]);
    else if (id === 'INV-0') yield artifact('invoice', [{ data: { invoice_id: id, total: 0 } }]);
    else yield rejected('There is no such invoice.');
  }
}

class NoticeInput {
  @IsString()
  readonly invoice_id!: string;

  @IsString()
  readonly reason!: string;
}

/** The fallback of § 7.4. */
@Skill({
  ...card,
  id: 'notify_accounting_failure',
  name: 'Notify accounting',
  description: 'Tells accounting of an invoice that could not be fetched.',
  input: NoticeInput,
})
export class NotifyAccountingSkill implements SkillHandler {
  async *run({ input }: SkillContext<NoticeInput>): AsyncGenerator<SkillEvent, void, void> {
    yield artifact('notice', `Accounting knows of ${input.invoice_id}.`);
  }
}

/** Skills of a service that takes delegation packets. */
export const DELEGATION_SKILLS = [FetchInvoiceSkill, NotifyAccountingSkill, DelegateSkill];

/** Has no contract, so it is no intent. */
@Skill({ ...card, id: 'untyped', name: 'Untyped', description: 'Takes anything.' })
export class UntypedSkill implements SkillHandler {
  async *run(): AsyncGenerator<SkillEvent, void, void> {
    yield artifact('done', 'done');
  }
}

export const SEED_SKILLS = [SummarizeTextSkill, AnalyzeSentimentSkill, EndingSkill, UntypedSkill];
