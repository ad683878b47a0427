import { A2AError } from '@parley/protocol/model/errors.js';
import { SkillFailure, SkillRejection } from '@parley/sdk/skill/skill.js';
import type { SandboxError, SandboxOutcome } from './sandbox-message.js';

/** Serialises an error between processes; keeps its meaning for the task. */
export function packError(error: unknown): SandboxError {
  if (error instanceof SkillFailure) {
    return { kind: error instanceof SkillRejection ? 'rejection' : 'failure', message: error.message };
  }
  if (error instanceof A2AError && error.kind === 'InvalidAgentResponse') {
    return { kind: 'broken-contract', message: error.message, violations: error.violations };
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { kind: 'error', message, ...(stack === undefined ? {} : { stack }) };
}

/** The error on this side, with the stack of the other. */
export function unpackError({ kind, message, stack, violations = [] }: SandboxError): Error {
  switch (kind) {
    case 'failure':
      return new SkillFailure(message);
    case 'rejection':
      return new SkillRejection(message);
    case 'broken-contract':
      return new A2AError('InvalidAgentResponse', message, { violations });
    case 'error':
      return Object.assign(new Error(message), stack === undefined ? {} : { stack });
  }
}

/** Runs a function and returns its result or error as a message. */
export async function outcomeOf(work: () => unknown): Promise<SandboxOutcome> {
  try {
    return { kind: 'value', value: await work() };
  } catch (error) {
    return { kind: 'error', error: packError(error) };
  }
}

/** The value of an outcome; throws its error. */
export function valueOf(outcome: SandboxOutcome): unknown {
  if (outcome.kind === 'error') {
    throw unpackError(outcome.error);
  }
  return outcome.value;
}
