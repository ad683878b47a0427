import type { JsonObject } from '@parley/protocol/model/json.js';
import { jsonSchemaOf } from '../../skill/contract/json-schema.js';
import type { Answer, Question } from '../../skill/questions/question.js';
import { VERDICT, type Verdict, verdictOf } from '../../skill/questions/verdict.js';
import type { Values } from './branch-values.js';
import type { Known } from '../check/scope.js';
import type { StepText } from './sequence.js';
import { asked, type Frame, named, NOTHING, type Step } from '../step.js';

/** How a flow asks. The task holds no resources while it waits for the answer. */
export interface AskOptions<State extends object = Values> extends Pick<
  Question,
  'schema' | 'approvers' | 'timeoutMs' | 'onTimeout'
> {
  /** The name under which later steps find the answer. */
  readonly as: string;
  /** The text that the caller reads. */
  readonly question: StepText<State>;
}

/** Asks the caller. Its value is the answer that `schema` accepted, or the text without a schema. */
export function ask<State extends object = Values>(options: AskOptions<State>): Step<State> {
  const { as, question, ...rest } = options;
  return {
    ...{ name: as, as },
    run: async (frame) => {
      const { value } = await frame.context.ask({ ...rest, question: textOf(question, frame) });
      return { ...NOTHING, value };
    },
    check: () => answerKnown(as, rest.schema),
  };
}

/** How a flow asks for a yes or a no. */
export interface ApprovalOptions<State extends object = Values> extends Pick<Question, 'approvers' | 'timeoutMs'> {
  readonly as?: string;
  readonly question: StepText<State>;
}

/** The value of an approval; not approved also when no answer came in time. */
export interface ApprovalValue extends Verdict {
  /** The decider, and the time (ms since 1970); absent after a timeout. */
  readonly by?: Answer['sender'];
  readonly at?: number;
}

/** Asks for an approval: `approve` or `reject`, also in other words, or `{ approved, reason }`. Its value names the decider. */
export function approval<State extends object = Values>(options: ApprovalOptions<State>): Step<State> {
  const { as, question, ...rest } = options;
  return {
    name: 'approval',
    ...named(as),
    run: async (frame) => {
      const text = textOf(question, frame);
      const answer = await frame.context.ask({
        ...rest,
        question: text,
        schema: VERDICT,
        onTimeout: { value: 'reject' },
      });
      return { ...NOTHING, value: valueOf(answer) };
    },
    check: () => ({ schema: APPROVAL_SCHEMA, origin: 'the approval' }),
  };
}

const APPROVAL_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    approved: { type: 'boolean' },
    reason: { type: 'string' },
    by: { type: 'object' },
    at: { type: 'integer' },
  },
  required: ['approved'],
};

function valueOf(answer: Answer): ApprovalValue {
  const { sender, answeredAt } = answer;
  return {
    ...verdictOf(answer),
    ...(sender === undefined ? {} : { by: sender }),
    ...(answeredAt === undefined ? {} : { at: answeredAt }),
  };
}

function answerKnown(as: string, schema: Question['schema']): Known {
  const origin = `the answer "${as}"`;
  if (schema === undefined) return { origin };
  return { schema: typeof schema === 'function' ? jsonSchemaOf(schema) : schema, origin };
}

function textOf<State extends object>(question: StepText<State>, frame: Frame): string {
  return typeof question === 'string' ? question : asked(question, frame);
}
