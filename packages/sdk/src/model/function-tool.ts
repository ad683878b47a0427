import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { checkContract } from '../skill/contract/dto-check.js';
import { jsonSchemaOf } from '../skill/contract/json-schema.js';
import { objectSchemaOf } from '../skill/contract/object-schema.js';
import { VERDICT, verdictOf } from '../skill/questions/verdict.js';
import { type DtoClass, type SkillContext, type SkillOptions } from '../skill/skill.js';
import { approvalOf, type Tool, type ToolApproval, ToolError, toolName } from './tool.js';

/** A function as a tool. */
export interface FunctionTool<Input extends object> {
  readonly name: string;
  /** Description by which the model chooses it. */
  readonly description: string;
  /** The contract of its arguments: a class, or JSON Schema. Default: it has none. */
  readonly input?: DtoClass<Input> | JsonObject;
  /** The effects of a call outside of the service. Default `reversible`; `irreversible`: each call is approved first. */
  readonly effects?: NonNullable<SkillOptions['effects']>;
  /** Asks before a call; `false`: an irreversible call needs no approval. */
  readonly approval?: ToolApproval;
  /**
   * Runs once: its result is in the journal. A `ToolError` is told to the model; after another error it is tried once more, and then the
   * model reads that it failed.
   */
  readonly run: (given: Input, context: ToolContext) => Promise<string | JsonObject>;
}

/** The members of a context that a function has. */
export type ToolContext = Pick<SkillContext, 'fetch' | 'signal' | 'log'> & {
  /** The same for each repetition of the call. */
  readonly idempotencyKey: string;
};

/** Characters of a result that the journal keeps. */
const MAX_RESULT = 262_144;
const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {} };

/** A function as a tool: its arguments are checked by its contract, and its result is stored once. */
export function tool<Input extends object = JsonObject>(options: FunctionTool<Input>): Tool {
  const { description, input = NO_ARGUMENTS, effects } = options;
  const name = toolName(options.name);
  const approval = approvalOf(options.approval, effects);
  const parameters = typeof input === 'function' ? jsonSchemaOf(input) : input;
  return {
    offers: () => [
      {
        tool: { name, description, parameters },
        run: async (context, given, key) => {
          const value = await checked(input, given);
          if (approval !== undefined) await approved(context, { name, given, approval });
          const stored = await context.step<string | Refused>(key, () =>
            ran(options, value as Input, { context, key }),
          );
          if (typeof stored === 'string') return stored;
          throw new ToolError(stored.refused);
        },
      },
    ],
    check: (scope) => {
      if (description.trim() === '') scope.fault(`the tool "${name}" has no description`);
    },
  };
}

/** Why a call has no result, as the journal keeps it. */
interface Refused {
  readonly refused: string;
}

async function checked(input: DtoClass | JsonObject, given: JsonObject): Promise<object> {
  const contract = typeof input === 'function' ? input : objectSchemaOf(input);
  if (contract === undefined) return given;
  const found = await checkContract(contract, given, 'arguments');
  if (found.kind === 'fits') return found.value;
  throw new ToolError(found.violations.map(({ field, description }) => `${field} ${description}`).join('; '), true);
}

async function approved(
  { ask }: SkillContext,
  {
    name,
    given,
    approval,
  }: {
    readonly name: string;
    readonly given: JsonObject;
    readonly approval: NonNullable<ReturnType<typeof approvalOf>>;
  },
): Promise<void> {
  const { question = `Approve the call of "${name}" with ${JSON.stringify(given).slice(0, 1_000)}?`, ...rest } =
    approval === true ? {} : approval;
  const answer = await ask({ ...rest, question, schema: VERDICT, onTimeout: { value: undefined } });
  if (answer.isTimeout) throw new ToolError('Its approval did not come in time.');
  const verdict = verdictOf(answer);
  if (!verdict.approved)
    throw new ToolError(`It was not approved${verdict.reason === undefined ? '' : `: ${verdict.reason}`}.`);
}

async function ran<Input extends object>(
  { name, run }: FunctionTool<Input>,
  value: Input,
  { context, key }: { readonly context: SkillContext; readonly key: string },
): Promise<string | Refused> {
  const { fetch, signal, log } = context;
  const own = { fetch, signal, log, idempotencyKey: `${context.idempotencyKey}:${key}` };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const result = await run(value, own);
      return (typeof result === 'string' ? result : JSON.stringify(result)).slice(0, MAX_RESULT);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ToolError) return { refused: error.message };
      if (attempt === 1) continue;
      const reference = randomUUID();
      log.warn('A tool has failed', { tool: name, reference, reason: String(error) });
      return { refused: `The tool failed. Reference: ${reference}` };
    }
  }
}
