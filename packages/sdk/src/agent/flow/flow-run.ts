import { artifact, completed, rejected, type SkillEvent } from '../../skill/events.js';
import { type SkillContext, SkillFailure } from '../../skill/skill.js';
import type { Artifact } from '@parley/protocol/model/task.js';
import { BranchValues } from './branch-values.js';
import { type AnyStep, BranchToken, FlowEnd, type Outcome } from '../step.js';

/**
 * Runs a flow in the context of its task: its events, then its result. The artifacts of the last call are the result; a
 * value without artifacts is one named `result`. All waits are calls of the context, so the engine parks and repeats it.
 */
export async function* runFlow(flow: AnyStep, context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
  const events = new EventQueue();
  const values = new BranchValues({ input: context.input, text: context.text, files: context.files });
  const emit = (event: SkillEvent): void => {
    events.add(event);
  };
  const { acceptedOutputModes: accepts } = context;
  const around = { path: '', branch: '', token: new BranchToken(), isResult: true };
  const frame = { context, values, facts: {}, ...around, accepts, emit };
  const ended = flow.run(frame).then(
    (outcome) => {
      events.end();
      return { outcome };
    },
    (error: unknown) => {
      events.end();
      return { error };
    },
  );
  for (let event = await events.next(); event !== undefined; event = await events.next()) yield event;
  const result = await ended;
  if ('error' in result) yield* endOf(result.error);
  else yield* resultOf(result.outcome);
}

function* endOf(error: unknown): Generator<SkillEvent, void, void> {
  if (!(error instanceof FlowEnd)) throw error;
  const { how, text, outcome } = error;
  if (outcome !== undefined) return yield* resultOf(outcome);
  if (how === 'failed') throw new SkillFailure(text);
  yield how === 'completed' ? completed(text) : rejected(text);
}

function* resultOf({ value, artifacts }: Outcome): Generator<SkillEvent, void, void> {
  for (const one of artifacts) yield passedOn(one);
  if (artifacts.length > 0 || value === undefined) return;
  yield typeof value === 'string' ? artifact('result', value) : artifact('result', [{ data: value }]);
}

function passedOn({ artifactId, parts, name, description, metadata }: Artifact): SkillEvent {
  return artifact(artifactId, parts, {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(metadata === undefined ? {} : { metadata }),
  });
}

/** Events of steps that run at the same time, in the order in which they come. */
class EventQueue {
  private readonly events: SkillEvent[] = [];
  private isOver = false;
  private wake: () => void = () => undefined;

  add(event: SkillEvent): void {
    this.events.push(event);
    this.wake();
  }

  end(): void {
    this.isOver = true;
    this.wake();
  }

  /** Undefined at the end. */
  async next(): Promise<SkillEvent | undefined> {
    while (this.events.length === 0 && !this.isOver) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    return this.events.shift();
  }
}
