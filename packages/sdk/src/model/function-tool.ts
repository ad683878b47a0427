import type { JsonObject } from '@parley/protocol/model/json.js';
import { checkContract } from '../skill/contract/dto-check.js';
import { jsonSchemaOf } from '../skill/contract/json-schema.js';
import { objectSchemaOf } from '../skill/contract/object-schema.js';
import type { DtoClass, SkillOptions } from '../skill/skill.js';
import type { FunctionWork, ToolContext } from './function-work.js';
import { approvalOf, type Tool, type ToolApproval, toolName } from './tool.js';
import { ToolError } from './tool-error.js';

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

const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {} };

/** A function as a tool: its arguments are checked by its contract, and its result is stored once. */
export function tool<Input extends object = JsonObject>(options: FunctionTool<Input>): Tool {
  const { description, input = NO_ARGUMENTS, effects } = options;
  const name = toolName(options.name);
  const approval = approvalOf(options.approval, effects);
  const parameters = typeof input === 'function' ? jsonSchemaOf(input) : input;
  const work: FunctionWork = {
    checked: (given) => checked(input, given),
    // The contract has checked it.
    run: (value, context) => options.run(value as Input, context),
  };
  const bound = { kind: 'function', ...(approval === undefined ? {} : { approval }) } as const;
  return {
    offers: () => [{ tool: { name, description, parameters }, bound, work }],
    check: (scope) => {
      if (description.trim() === '') scope.fault(`the tool "${name}" has no description`);
    },
  };
}

async function checked(input: DtoClass | JsonObject, given: JsonObject): Promise<object> {
  const contract = typeof input === 'function' ? input : objectSchemaOf(input);
  if (contract === undefined) return given;
  const found = await checkContract(contract, given, 'arguments');
  if (found.kind === 'fits') return found.value;
  throw new ToolError(found.violations.map(({ field, description }) => `${field} ${description}`).join('; '), true);
}
