import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Scope } from '../agent/check/scope.js';
import type { CallOptions } from '../skill/calls/call.js';
import type { DeclaredTools } from '../skill/tools/skill-tool.js';
import type { Catalog } from '../skill/start-check.js';
import type { FunctionWork } from './function-work.js';
import type { ModelTool } from './model.port.js';
import type { ToolBinding } from './tool-binding.js';

/** An entry of a list of tools: a function, a skill, an agent of another service, a tool of an MCP server, or a question. */
export interface Tool {
  /** The tools that the model is offered for it. */
  readonly offers: (catalog: Catalog) => readonly OfferedTool[];
  /** Checks it when the service starts. */
  readonly check: (scope: Scope) => void;
  /** The tool of an MCP server that it calls: its agent must declare it. */
  readonly declares?: DeclaredTools;
}

/** A tool as a model is offered it. */
export interface OfferedTool {
  readonly tool: ModelTool;
  /** How its calls are made. */
  readonly bound: ToolBinding;
  /** Of a function. */
  readonly work?: FunctionWork;
}

/** Who approves a call; `false`: no approval is needed although the effects are irreversible. */
export type ToolApproval = CallOptions['approval'] | false;

/** The approval of a call: asked for where it cannot be undone, unless the author says otherwise. */
export function approvalOf(
  given: ToolApproval,
  effects: 'none' | 'reversible' | 'irreversible' | undefined,
): CallOptions['approval'] {
  if (given === false) return undefined;
  return given ?? (effects === 'irreversible' ? true : undefined);
}

const MAX_NAME = 64;

/** The name of a tool as vendors take it. */
export function toolName(name: string): string {
  return name.replaceAll(/[^\w-]/g, '_').slice(0, MAX_NAME);
}

/** An input of one text, for a skill without a contract. */
export const TEXT_ONLY: JsonObject = {
  type: 'object',
  properties: { text: { type: 'string', description: 'The request, complete: nothing else is known to the tool.' } },
  required: ['text'],
};
