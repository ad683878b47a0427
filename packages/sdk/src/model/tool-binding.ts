import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Part } from '@parley/protocol/model/message.js';
import { outcomeOf } from '../agent/flow/call-step.js';
import { FlowEnd } from '../agent/step.js';
import type { CallOptions, CallResult } from '../skill/calls/call.js';
import type { Question } from '../skill/questions/question.js';
import type { SkillContext } from '../skill/skill.js';
import { type FunctionWork, ranFunction } from './function-work.js';
import { readResult } from './tool-results.js';
import { ToolError } from './tool-error.js';

/**
 * How a call of a tool is made, as data: the journal keeps it with the round that calls it, so that a deploy with another list of tools
 * does not change a call that has begun.
 */
export type ToolBinding =
  | { readonly kind: 'function'; readonly approval?: NonNullable<CallOptions['approval']> }
  | {
      readonly kind: 'skill';
      readonly id: string;
      /** The skill has no contract: its input is a text. */
      readonly isText: boolean;
      readonly options: Pick<CallOptions, 'approval' | 'accepts' | 'history'>;
    }
  | { readonly kind: 'hand-over'; readonly id: string; readonly isText: boolean; readonly after: 'return' | 'stay' }
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string }
  | { readonly kind: 'question'; readonly asked: AskedPerson }
  | { readonly kind: 'stored-result' };

/** How a person is asked. */
export type AskedPerson = Pick<Question, 'approvers' | 'timeoutMs'> & { readonly schema?: JsonObject };

/** A call of a tool. */
export interface BoundCall {
  readonly name: string;
  readonly given: JsonObject;
  /** The same in each run of the turn. */
  readonly key: string;
  /** Of a function: absent once it is gone. */
  readonly work?: FunctionWork | undefined;
}

/** Makes a call as it is bound. Throws `ToolError`, `CallFailed` or `ToolFailed` with the reason for the model. */
export async function runBound(bound: ToolBinding, context: SkillContext, call: BoundCall): Promise<string> {
  const { given, key } = call;
  switch (bound.kind) {
    case 'function':
      return ranFunction(context, { ...call, approval: bound.approval });
    case 'skill':
      return textOf(await context.call(bound.id, bound.isText ? saidIn(given) : given, { ...bound.options, key }));
    case 'hand-over': {
      const input = bound.isText ? saidWith(saidIn(given), context) : given;
      const result = await context.transfer(bound.id, input, { key });
      if (bound.after === 'stay') throw new FlowEnd('completed', '', outcomeOf(result));
      return textOf(result);
    }
    case 'mcp': {
      const { isError, text, structured } = await context.tools.call(bound.server, bound.tool, given, { as: key });
      if (isError) throw new ToolError(text === '' ? 'The tool says that it has failed.' : text);
      return text === '' && structured !== undefined ? JSON.stringify(structured) : text;
    }
    case 'question':
      return answerTo(context, given, bound.asked);
    case 'stored-result':
      return readResult(context, given);
  }
}

async function answerTo({ ask }: SkillContext, { question }: JsonObject, asked: AskedPerson): Promise<string> {
  if (typeof question !== 'string' || question.trim() === '')
    throw new ToolError('arguments.question must be a text', true);
  const answer = await ask({ ...asked, question, onTimeout: { value: undefined } });
  if (answer.isTimeout) throw new ToolError('No answer came in time.');
  return typeof answer.value === 'string' ? answer.value : JSON.stringify(answer.value);
}

function textOf({ text, data }: CallResult): string {
  return [text, ...data.map((value) => JSON.stringify(value))].filter((part) => part !== '').join('\n');
}

function saidIn({ text }: JsonObject): string {
  return typeof text === 'string' ? text : '';
}

/** A text in place of the texts of this turn, with its files and data. */
function saidWith(text: string, { messages }: SkillContext): readonly Part[] {
  const others = messages.flatMap(({ parts }) => parts.filter((part) => !('text' in part)));
  return [{ text }, ...others];
}
