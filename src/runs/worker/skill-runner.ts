import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { Span } from '@opentelemetry/api';
import { callRefusal } from '../calls/call-rights.js';
import { callNamesOf } from '@parley/protocol/extension/context-extension.js';
import { A2AError } from '@parley/protocol/model/errors.js';
import { isInterrupted } from '@parley/protocol/model/task-state.js';
import { JournalMismatch } from '@parley/sdk/skill/replay/journal.js';
import { outsideSimulation } from '@parley/sdk/skill/simulation/simulated-run.js';
import { simulatedSkill } from '../../skill/simulated-skill.js';
import { SkillFailure, type SkillOptions, SkillRejection } from '@parley/sdk/skill/skill.js';
import { type RegisteredSkill, SkillRegistry } from '../../skill/skill.registry.js';
import type { ToolRun } from '@parley/sdk/skill/tools/skill-tools.js';
import { ContextFull } from '../../tasks/values/context.store.js';
import type { TaskEnd } from '../../tasks/commit/claimed-run.js';
import { faultNamed, faultOf, type RunFault } from '../../tasks/record/run-fault.js';
import { type ClaimedRun, JournalFull, RunStore } from '../../tasks/commit/run.store.js';
import { carrierOf } from '../../platform/tracing/trace-carrier.js';
import { callerFields, statedFields, storedFields } from '../../platform/logging/call-fields.js';
import { type LineFields, withLineFields } from '../../platform/logging/line-fields.js';
import { invokingAgent } from '../../platform/tracing/gen-ai.js';
import { traced, type TracedOptions } from '../../platform/tracing/traced.js';
import { RunMemory } from '../turn/run-memory.js';
import { runContext } from '../turn/run-host.js';
import type { LocalRuns } from '../local-runs.js';
import { BlockedRuns } from './blocked-runs.js';
import { RunCompletion } from './run-completion.js';
import { endedAsDecided, type EndingTurnHandler } from '../turn/ending-turn.js';
import type { SuspectPlace } from './suspect-run.js';
import { agentWorkOf, describeEnding, RUN_SPAN, runSpanOptions } from './run-span.js';
import { SkillTurn, type TurnResult } from '../turn/skill-turn.js';

/** A skill in another process is idle after this time without a request. */
const SANDBOX_IDLE_MS = 100;

/** Runs one turn of one claimed task: runs its skill, and handles the outcome. */
@Injectable()
export class SkillRunner {
  private readonly log = new Logger(SkillRunner.name);
  /** Runs turns that undo work; the feature that does so registers itself when it is constructed. */
  endings: EndingTurnHandler | undefined;

  constructor(
    private readonly store: RunStore,
    private readonly memory: RunMemory,
    private readonly skills: SkillRegistry,
    private readonly runs: BlockedRuns,
    private readonly completion: RunCompletion,
  ) {}

  /** The channel on which this process receives cancels. */
  get channel(): string {
    return this.runs.active.channel;
  }

  /**
   * Never rejects.
   * @param dueAt when the run could have begun, ms since the epoch
   */
  run(run: ClaimedRun, dueAt: number, options: RunningOptions): Promise<void> {
    return outsideSimulation(() => withLineFields(this.fieldsOf(run), () => this.runTraced(run, dueAt, options)));
  }

  /** The fields of each log line of the run: its process, and the call that its turn follows from. */
  private fieldsOf(run: ClaimedRun): LineFields {
    const { taskId, skillId: skill, trace, history } = run;
    return {
      ...{ taskId, skill, worker: this.runs.active.worker },
      ...callerFields(run),
      ...statedFields(callNamesOf(history[0])),
      ...storedFields(trace.names),
    };
  }

  private async runTraced(run: ClaimedRun, dueAt: number, running: RunningOptions): Promise<void> {
    const startTime = Date.now();
    const options = (): TracedOptions => ({ startTime, ...runSpanOptions(run) });
    try {
      await traced(RUN_SPAN, options, async (span) => {
        if (span.isRecording()) this.noteSpan(run, span);
        this.noteTakeover(run);
        const ending = await invokingAgent(
          () => agentWorkOf(run, this.skills.runnableAs(run.skillId, run.version)?.options.name),
          () => this.runClaimed(run, dueAt, running),
        );
        describeEnding(span, ending);
        const { skillId: skill, taskId, contextId, turn, attempt } = run;
        const waitedMs = Math.max(0, startTime - dueAt);
        const ms = Date.now() - startTime;
        const simulated = run.isSimulated ? { simulated: true } : {};
        const line = { event: 'skill.ran', skill, taskId, contextId, turn, attempt, ending, waitedMs, ms };
        this.log.log({ ...line, ...simulated });
      });
    } catch (error) {
      // The lease of the run expires, and the sweep gives the task to the next run.
      this.log.error({ event: 'run.broke', taskId: run.taskId, fence: run.fence, error });
    }
  }

  /** Logs for operators which process continues the task. */
  private noteTakeover({ taskId, skillId: skill, turn, attempt, fence }: ClaimedRun): void {
    if (attempt > 1) this.log.log({ event: 'run.taken-over', skill, taskId, turn, attempt, fence });
  }

  /** In the background: a missing link in a trace must not delay a task. */
  private noteSpan(run: ClaimedRun, span: Span): void {
    this.store.notebook.noteSpan(run, carrierOf(span).traceparent ?? '').catch((error: unknown) => {
      this.log.debug({ event: 'run.span-not-noted', taskId: run.taskId, reason: String(error) });
    });
  }

  private async runClaimed(run: ClaimedRun, dueAt: number, { onEnd, ...running }: RunningOptions): Promise<string> {
    const skill = this.skills.runnableAs(run.skillId, run.version);
    const turn = new SkillTurn(run, this.store, this.completion.graceMs, {
      sendersOf: (messages) => this.memory.senders.of(run.taskId, messages),
      trees: this.memory.trees,
      questions: this.memory.questions,
      skills: this.skills,
      policies: this.memory.contexts.policies,
      wake: (runs) => {
        this.completion.wake(runs);
      },
      local: running.local,
      idleMs: skill?.options.sandboxed === true ? SANDBOX_IDLE_MS : 0,
      onEnd,
    });
    const leave = this.runs.add(run, { dueAt, stop: turn.stop, heard: turn.waits.heard });
    let ending = 'broke';
    try {
      await running.suspect?.ready(run, turn.signal);
      turn.begin();
      const result = await this.resultOf(run, turn, skill);
      if (turn.codeEnds !== undefined) running.onStopped(turn.codeEnds);
      this.tellParent(run, result);
      ending = await this.completion.after(run, result);
      if (asksInTree(run, result)) await this.showQuestions(run);
      return ending;
    } finally {
      leave(ending);
    }
  }

  /** A parent that runs in this process. */
  private tellParent({ traits }: ClaimedRun, result: TurnResult): void {
    if (traits.tree === undefined || result.kind !== 'committed' || result.parentFence === undefined) return;
    this.runs.active.tell(traits.tree.parent, result.parentFence);
  }

  /** At once instead of with the next sweep. */
  private async showQuestions({ taskId, traits }: ClaimedRun): Promise<void> {
    const runs = await this.memory.board.refresh(traits.tree?.root ?? taskId);
    if (runs > 0) this.completion.wake(runs);
  }

  private resultOf(run: ClaimedRun, turn: SkillTurn, skill: RegisteredSkill | undefined): Promise<TurnResult> {
    // The service takes finished work back, whoever its caller was.
    if (run.ending !== undefined) return this.undoWork(run, turn, run.ending);
    const refused = this.runs.refused(run);
    if (refused !== undefined) return Promise.resolve(refused);
    return skill === undefined ? this.unknownSkill(run, turn) : this.runSkill(run, turn, skill);
  }

  private async undoWork(run: ClaimedRun, turn: SkillTurn, ending: TaskEnd): Promise<TurnResult> {
    const { endings: handler } = this;
    if (handler === undefined) {
      const { taskId, skillId: skill } = run;
      const reason = 'this service undoes no work';
      this.log.error({ event: 'compensation.failed', taskId, skill, why: 'unavailable', reason });
      return endedAsDecided(ending);
    }
    const { store, memory, log: logger } = this;
    const { requests } = this.skills;
    // Skills take work back, and these declare their tools themselves.
    const tools = this.toolsOf(run, undefined);
    const context = runContext({ run, store, memory, skills: this.skills, requests, tools, turn, logger });
    return this.judged(run, turn, await handler.run({ run, turn, ending }, context));
  }

  private async runSkill(run: ClaimedRun, turn: SkillTurn, skill: RegisteredSkill): Promise<TurnResult> {
    const { timeoutMs } = skill.options;
    const late = timeoutMs === undefined ? undefined : setTimeout(turn.stop, timeoutMs, 'timed-out');
    const { store, memory, skills, log: logger } = this;
    const { requests } = skills;
    const tools = this.toolsOf(run, skill.options);
    try {
      const deadline = timeoutMs === undefined ? {} : { deadline: new Date(Date.now() + timeoutMs) };
      const context = runContext({ run, store, memory, skills, requests, tools, turn, logger, ...deadline });
      const handler = run.isSimulated ? simulatedSkill(skill) : skill.handler;
      return await this.judged(run, turn, await turn.run(handler, context));
    } finally {
      clearTimeout(late);
    }
  }

  /** The tools of a skill that the caller of its task may have called. */
  private toolsOf(
    run: ClaimedRun,
    parent: SkillOptions | undefined,
  ): Pick<ToolRun, 'servers' | 'declared' | 'refusal'> {
    const { policies } = this.memory.contexts;
    const refusal = (id: string): string | undefined => callRefusal({ run, parent, child: { id } }, policies);
    return { servers: this.skills.tools, declared: parent?.tools, refusal };
  }

  /** The effect of a turn's end on the task. */
  private async judged(run: ClaimedRun, turn: SkillTurn, result: TurnResult): Promise<TurnResult> {
    if (result.kind === 'stopped' && result.reason === 'timed-out')
      return this.failed(run, turn, { fault: faultNamed('TimeLimit', 'The skill took too long.') });
    if (result.kind === 'stopped' && result.reason === 'too-large')
      return this.failed(run, turn, { fault: faultNamed('OutputLimit', this.tooLarge()) });
    if (result.kind !== 'threw') return result;
    const { error } = result;
    const fault = faultOf(error);
    if (error instanceof SkillRejection)
      return this.failed(run, turn, { fault, text: error.message, how: 'rejection' });
    if (error instanceof SkillFailure) return this.failed(run, turn, { fault, text: error.message, why: error.fault });
    if (isBrokenContract(error)) return this.failed(run, turn, { fault, text: error.message, how: 'fault' });
    if (error instanceof JournalMismatch || error instanceof JournalFull || error instanceof ContextFull)
      return this.cannotGoOn(run, turn, error);
    const reference = randomUUID();
    const { taskId, skillId: skill, attempt } = run;
    this.log.error({ event: 'skill.broke', taskId, skill, attempt, reference, error });
    // The limit of the skill applies to its own turns.
    const limit = run.ending === undefined ? this.skills.runnable(skill)?.options.maxAttempts : undefined;
    if (this.completion.mayRetry(run, limit)) {
      await this.store.notebook.noteFault(run, { ...fault, reference });
      return result;
    }
    const text = `The skill failed unexpectedly. Reference: ${reference}`;
    return this.failed(run, turn, { fault: { ...fault, reference }, text, how: 'fault' });
  }

  /**
   * Ends the task, and stores the reason with the run. @param text for the caller; absent: the message of the fault,
   * which is ours
   */
  private async failed(
    run: ClaimedRun,
    turn: SkillTurn,
    { fault, text = fault.message, how, why }: Ending,
  ): Promise<TurnResult> {
    await this.store.notebook.noteFault(run, fault);
    return turn.fail(text, how, why);
  }

  /** The turn cannot be replayed up to its wait, and no further run could. */
  private cannotGoOn(run: ClaimedRun, turn: SkillTurn, error: Error): Promise<TurnResult> {
    const { taskId, skillId: skill, version } = run;
    this.log.error({ event: 'skill.not-repeatable', taskId, skill, error });
    const fault = faultOf(error);
    if (error instanceof JournalFull)
      return this.failed(run, turn, {
        fault,
        text: 'The task has recorded as much as a task may: it cannot go on.',
      });
    if (error instanceof ContextFull)
      return this.failed(run, turn, { fault, text: 'The context has as much state as a context may have.' });
    return this.failed(run, turn, { fault, text: `${error.message} ${this.versionsOf(skill, version)}`, how: 'fault' });
  }

  private versionsOf(skillId: string, began: number): string {
    const runs = this.skills.runnableAs(skillId, began)?.options.version ?? 0;
    const which = `The task began with version ${String(began)} of "${skillId}"`;
    return runs === began ? `${which}, which runs it now.` : `${which}, and version ${String(runs)} runs it now.`;
  }

  private tooLarge(): string {
    const mib = Math.floor(this.store.mostBytes / 1_048_576);
    return `The skill's output is too large: a task stores ${String(mib)} MiB. What was written before is kept.`;
  }

  /** The task may have been created by another version of the service, whose catalog has the skill. */
  private async unknownSkill(run: ClaimedRun, turn: SkillTurn): Promise<TurnResult> {
    const fault = faultNamed('UnknownSkill', `The skill "${run.skillId}" is no longer offered.`);
    return this.failed(run, turn, { fault, how: 'fault' });
  }
}

/** How a run runs here. */
interface RunningOptions {
  /** Called when the skill has ended and its last commit is in progress; not for a run that ends otherwise. */
  readonly onEnd: () => void;
  /** Called when the run ends before the code of its skill. */
  readonly onStopped: (codeEnds: Promise<unknown>) => void;
  readonly suspect?: SuspectPlace | undefined;
  /** The slots of the process, in which its children begin. */
  readonly local: LocalRuns;
}

/** The end that the service gives a task that its skill did not complete. */
interface Ending {
  readonly fault: RunFault;
  readonly text?: string | undefined;
  readonly how?: 'failure' | 'rejection' | 'fault';
  /** Machine-readable reason for a calling skill. */
  readonly why?: string | undefined;
}

/** The skill broke its output contract (A2A 1.0 InvalidAgentResponse): a retry would not help. */
function isBrokenContract(error: unknown): error is A2AError {
  return error instanceof A2AError && error.kind === 'InvalidAgentResponse';
}

/** Whether the root of the tree must show a question of the run. */
function asksInTree({ traits, log }: ClaimedRun, result: TurnResult): boolean {
  if (result.kind === 'parked') return result.hasAsked === true;
  return result.kind === 'committed' && traits.tree !== undefined && isInterrupted(log.current.state);
}
