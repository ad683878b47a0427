import type { FieldViolation } from '@parley/protocol/model/errors.js';
import type { QuestionSpec } from '@parley/protocol/extension/questions.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Content, SkillEvent } from '@parley/sdk/skill/events.js';
import type { ToolCallOptions } from '@parley/sdk/skill/tools/skill-tool.js';
import type { CallGroup } from '@parley/sdk/skill/calls/call.js';
import type { TurnFacts } from '@parley/sdk/skill/context/skill-host.js';
import type { Publication } from '@parley/sdk/skill/publication.js';
import type { SkillRequest } from '@parley/sdk/skill/requests/skill-request.js';
import type { StoredScope } from '@parley/sdk/skill/shared/scope.js';
import type { SkillContext, WaitOptions } from '@parley/sdk/skill/skill.js';

/** The data of a turn; everything else is a call to the service. */
export interface SandboxTurn {
  readonly facts: TurnFacts;
  readonly senders: Awaited<ReturnType<SkillContext['senders']>>;
}

/** Reads or writes a value: of the task, or one that tasks share. */
export type StateCall = { readonly target: 'value'; readonly name: string } & (
  | { readonly of: 'state' | StoredScope; readonly method: 'get' }
  | { readonly of: 'state' | StoredScope; readonly method: 'set'; readonly value: unknown }
  | { readonly of: StoredScope; readonly method: 'setIfAbsent'; readonly value: unknown }
);

/** Stores or reads a value passed by reference. */
export type ArtifactCall =
  | { readonly target: 'put'; readonly name: string; readonly content: Content }
  | { readonly target: 'artifact'; readonly reference: string }
  | { readonly target: 'references' };

/** The calls of a sandboxed skill to its context, with their arguments. */
export type SandboxCall =
  | StateCall
  | { readonly target: 'log'; readonly method: 'info' | 'warn'; readonly message: string; readonly fields?: object }
  | { readonly target: 'step'; readonly name: string }
  | { readonly target: 'sleep'; readonly ms: number }
  | { readonly target: 'waitFor'; readonly options?: WaitOptions }
  | { readonly target: 'now' | 'random' }
  | { readonly target: 'fetch'; readonly url: string; readonly request: SkillRequest }
  | {
      readonly target: 'tool';
      readonly server: string;
      readonly tool: string;
      readonly args: JsonObject;
      readonly options: ToolCallOptions;
    }
  | ArtifactCall
  | { readonly target: 'calls'; readonly group: CallGroup }
  | { readonly target: 'ask'; readonly question: QuestionSpec }
  | { readonly target: 'publish'; readonly publication: Publication; readonly number: number };

/** A serialised error. */
export interface SandboxError {
  readonly kind: 'failure' | 'rejection' | 'broken-contract' | 'error';
  readonly message: string;
  readonly stack?: string;
  readonly violations?: readonly FieldViolation[];
}

/** The result of a call. */
export type SandboxOutcome =
  { readonly kind: 'value'; readonly value: unknown } | { readonly kind: 'error'; readonly error: SandboxError };

/** From the service to the sandbox. */
export type ToSandbox =
  | { readonly kind: 'start'; readonly module: string; readonly exportName: string; readonly turn: SandboxTurn }
  /** Requests the next event: the skill continues only when the previous event is stored. */
  | { readonly kind: 'next' }
  | { readonly kind: 'abort'; readonly reason: string }
  | { readonly kind: 'answered'; readonly id: number; readonly outcome: SandboxOutcome }
  /** Run the work of the step with this id. */
  | { readonly kind: 'work'; readonly id: number };

/** From the sandbox to the service. */
export type FromSandbox =
  | { readonly kind: 'event'; readonly event: SkillEvent }
  | { readonly kind: 'done' }
  | { readonly kind: 'threw'; readonly error: SandboxError }
  | { readonly kind: 'call'; readonly id: number; readonly call: SandboxCall }
  | { readonly kind: 'worked'; readonly id: number; readonly outcome: SandboxOutcome };
