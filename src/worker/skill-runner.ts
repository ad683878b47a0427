import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { A2AError } from '../protocol/errors.js';
import { SkillFailure, type SkillHandler } from '../skill/skill.js';
import { SkillRegistry } from '../skill/skill.registry.js';
import { ContextStore } from '../task/context.store.js';
import { type ClaimedRun, RunStore } from '../task/run.store.js';
import { ActiveRuns } from './active-runs.js';
import { runContext } from './run-context.js';
import { type RunJob } from '../queue/run.queue.js';
import { RunSequel } from './run-sequel.js';
import { SkillTurn, type TurnResult } from './skill-turn.js';

/** Runs one turn of one task: claim it, run its skill, and see to what follows. */
@Injectable()
export class SkillRunner {
  private readonly log = new Logger(SkillRunner.name);

  constructor(
    private readonly store: RunStore,
    private readonly contexts: ContextStore,
    private readonly skills: SkillRegistry,
    private readonly active: ActiveRuns,
    private readonly sequel: RunSequel,
  ) {}

  /** @param dueAt when the run could have begun, ms since the epoch */
  async run(job: RunJob, dueAt: number): Promise<void> {
    const outcome = await this.store.claim(job.taskId, job.fence, this.active.channel);
    if (outcome.kind !== 'claimed') {
      this.log.debug({ event: 'run.refused', ...job, reason: outcome.kind });
      return;
    }
    const { run } = outcome;
    const started = Date.now();
    const ending = await this.runClaimed(run, dueAt);
    const { skillId: skill, taskId, contextId, turn, attempt } = run;
    this.log.log({ event: 'skill.ran', skill, taskId, contextId, turn, attempt, ending, ms: Date.now() - started });
  }

  private async runClaimed(run: ClaimedRun, dueAt: number): Promise<string> {
    const turn = new SkillTurn(run, this.store, this.sequel.graceMs);
    const leave = this.active.add({ hold: run, dueAt, stop: turn.stop });
    let ending = 'broke';
    try {
      const handler = this.skills.find(run.skillId)?.handler;
      const result =
        handler === undefined ? await this.unknownSkill(run, turn) : await this.runSkill(run, turn, handler);
      ending = await this.sequel.after(run, result);
      return ending;
    } finally {
      leave(ending);
    }
  }

  private async runSkill(run: ClaimedRun, turn: SkillTurn, handler: SkillHandler): Promise<TurnResult> {
    const { store, contexts, log: logger } = this;
    const result = await turn.run(handler, runContext({ run, store, contexts, signal: turn.signal, logger }));
    if (result.kind !== 'threw') return result;
    if (result.error instanceof SkillFailure) return turn.fail(result.error.message);
    const reference = randomUUID();
    const { taskId, skillId: skill, attempt } = run;
    this.log.error({ event: 'skill.broke', taskId, skill, attempt, reference, error: result.error });
    // The result broke the skill's contract (A2A InvalidAgentResponse): the same work would break it again.
    if (result.error instanceof A2AError) return turn.fail(`${result.error.message}. Reference: ${reference}`);
    if (this.sequel.mayRetry(run)) return result;
    return turn.fail(`The skill failed unexpectedly. Reference: ${reference}`);
  }

  /** Another version of the service, whose catalog has the skill, may have taken the task. */
  private async unknownSkill(run: ClaimedRun, turn: SkillTurn): Promise<TurnResult> {
    return turn.fail(`The skill "${run.skillId}" is no longer offered.`);
  }
}
