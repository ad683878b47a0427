import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { CallOptions } from '../skill/calls/call.js';
import { VERDICT, verdictOf } from '../skill/questions/verdict.js';
import type { SkillContext } from '../skill/skill.js';
import { ToolError } from './tool-error.js';

/** The members of a context that a function has. */
export type ToolContext = Pick<SkillContext, 'fetch' | 'signal' | 'log'> & {
  /** The same for each repetition of the call. */
  readonly idempotencyKey: string;
};

/** A function as a tool runs it. */
export interface FunctionWork {
  /** The arguments by their contract. @throws ToolError */
  readonly checked: (given: JsonObject) => Promise<object>;
  readonly run: (value: object, context: ToolContext) => Promise<string | JsonObject>;
}

/** A call of a function. */
export interface FunctionCall {
  readonly name: string;
  readonly given: JsonObject;
  readonly key: string;
  readonly work?: FunctionWork | undefined;
  readonly approval: CallOptions['approval'];
}

/** Why a call has no result, as the journal keeps it. */
interface Refused {
  readonly refused: string;
  readonly isMistake?: boolean;
}

/** Characters of a result that the journal keeps. */
const MAX_RESULT = 262_144;

/** Runs a function as a step: its arguments are checked first, and then approved where that is needed. @throws ToolError */
export async function ranFunction(context: SkillContext, call: FunctionCall): Promise<string> {
  const { key, approval } = call;
  if (approval !== undefined) {
    const judged = async (): Promise<string> => {
      await checked(call);
      return '';
    };
    resultOf(await context.step<string | Refused>(`${key} arguments`, () => refusalOf(judged)));
    await approved(context, { ...call, approval });
  }
  return resultOf(await context.step<string | Refused>(key, () => tried(context, call)));
}

function resultOf(stored: string | Refused): string {
  if (typeof stored === 'string') return stored;
  throw new ToolError(stored.refused, stored.isMistake);
}

function checked(call: FunctionCall): Promise<object> {
  return presentWork(call).checked(call.given);
}

function presentWork({ work }: FunctionCall): FunctionWork {
  if (work === undefined) throw new ToolError('There is no such tool any more.');
  return work;
}

async function tried(context: SkillContext, call: FunctionCall): Promise<string | Refused> {
  const { fetch, signal, log } = context;
  const own = { fetch, signal, log, idempotencyKey: `${context.idempotencyKey}:${call.key}` };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await refusalOf(async () => {
        const result = await presentWork(call).run(await checked(call), own);
        return (typeof result === 'string' ? result : JSON.stringify(result)).slice(0, MAX_RESULT);
      });
    } catch (error) {
      signal.throwIfAborted();
      if (attempt === 1) continue;
      const reference = randomUUID();
      log.warn('A tool has failed', { tool: call.name, reference, reason: String(error) });
      return { refused: `The tool failed. Reference: ${reference}` };
    }
  }
}

async function refusalOf<T>(work: () => Promise<T>): Promise<T | Refused> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return error.isMistake ? { refused: error.message, isMistake: true } : { refused: error.message };
  }
}

async function approved(
  { ask }: SkillContext,
  { name, given, approval }: FunctionCall & { readonly approval: NonNullable<CallOptions['approval']> },
): Promise<void> {
  const { question = `Approve the call of "${name}" with ${JSON.stringify(given).slice(0, 1_000)}?`, ...rest } =
    approval === true ? {} : approval;
  const answer = await ask({ ...rest, question, schema: VERDICT, onTimeout: { value: undefined } });
  if (answer.isTimeout) throw new ToolError('Its approval did not come in time.');
  const { approved: isApproved, reason } = verdictOf(answer);
  if (!isApproved) throw new ToolError(`It was not approved${reason === undefined ? '' : `: ${reason}`}.`);
}
