import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { CallFailed, type SkillCalls } from '../calls/call.js';
import { JournalMismatch } from '../replay/journal.js';
import type { SkillContext } from '../skill.js';
import { assertOutsideSteps } from '../step-scope.js';
import {
  type DeclaredTools,
  longToolSkill,
  type SkillTools,
  type ToolAnswers,
  type ToolCallOptions,
  ToolFailed,
  type ToolOutcome,
  type ToolProgress,
  type ToolQuestion,
  type ToolResult,
  type ToolServers,
  type ToolTerms,
} from './skill-tool.js';

/** Questions that one call of a tool may ask in turn; beyond, it asks in a circle. */
const MAX_ROUNDS = 16;
/** Progress reaches the skill at most so often. */
const PROGRESS_MS = 1000;

/** Dependencies of tool calls on their run. */
export interface ToolRun {
  readonly servers: ToolServers;
  /** The tools that the skill declares. */
  readonly declared: DeclaredTools | undefined;
  /** Why the caller of the task may not have a tool called, by the id of the tool as a skill; undefined where it may; absent: it may all. */
  readonly refusal?: (toolId: string) => string | undefined;
  readonly taskId: string;
  readonly tenant: string;
  readonly idempotencyKey: string;
  /** Made when a call is sent: most runs need none. */
  readonly signal: () => AbortSignal;
  readonly step: SkillContext['step'];
  readonly ask: SkillContext['ask'];
  readonly call: SkillCalls['call'];
  /** Called with each outcome, before it is stored. */
  readonly noted?: (outcome: ToolOutcome) => Promise<void>;
}

/** The tools of one run of a turn. The names of its calls follow from their order. */
export function skillTools(run: ToolRun): SkillTools {
  const made = new Map<string, number>();
  const nameOf = (server: string, tool: string, as: string | undefined): string => {
    if (as !== undefined) return `mcp:${as}`;
    const count = (made.get(`${server}/${tool}`) ?? 0) + 1;
    made.set(`${server}/${tool}`, count);
    return `mcp:${server}/${tool}#${String(count)}`;
  };
  return {
    call: async (server, tool, args = {}, { as, ...options } = {}) => {
      assertOutsideSteps('tools.call()');
      const terms = termsOf(run, server, tool);
      const named = { name: nameOf(server, tool, as), server, tool, args, options };
      return terms.isLong ? longCall(run, named) : new JournaledCall(run, terms, named).result();
    },
  };
}

/** @throws ToolFailed unknown-tool, denied */
function termsOf({ servers, declared = {}, refusal }: ToolRun, server: string, tool: string): ToolTerms {
  const isDeclared = Object.hasOwn(declared, server) && declared[server]?.includes(tool) === true;
  const terms = isDeclared ? servers.find(server, tool) : undefined;
  const refused = terms && refusal?.(longToolSkill(server, tool));
  if (refused !== undefined) throw new ToolFailed('denied', `The tool ${tool} of ${server} is not called: ${refused}`);
  if (terms !== undefined) return terms;
  const why = isDeclared ? 'MCP_SERVERS_FILE does not list it' : 'the skill does not declare it in `tools`';
  throw new ToolFailed('unknown-tool', `The tool ${tool} of ${server} cannot be called: ${why}`);
}

interface NamedCall {
  readonly name: string;
  readonly server: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly options: Omit<ToolCallOptions, 'as'>;
}

/** A task of its own: it is parked while the tool works, and its cancel reaches the tool although nothing runs. */
async function longCall(run: ToolRun, { name, server, tool, args, options }: NamedCall): Promise<ToolResult> {
  const { timeoutMs } = options;
  const limits = { key: name, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  try {
    return (await run.call<ToolResult>(longToolSkill(server, tool), args, limits)).output;
  } catch (error) {
    if (error instanceof CallFailed && error.why === 'failed') throw new ToolFailed('refused', error.message);
    throw error;
  }
}

/** One call of a tool: an intent, then a result in the journal, and both again for each question that it asks. */
export class JournaledCall {
  constructor(
    private readonly run: Omit<ToolRun, 'declared' | 'call'>,
    private readonly terms: ToolTerms,
    private readonly called: NamedCall,
  ) {}

  /** @throws ToolFailed, JournalMismatch */
  async result(): Promise<ToolResult> {
    const outcome = await this.outcome();
    if (outcome.kind === 'result') return outcome.result;
    throw new ToolFailed('bad-result', `The tool ${this.called.tool} of ${this.called.server} began a task`);
  }

  /** The result, or the task that the tool has begun. @throws ToolFailed, JournalMismatch */
  async outcome(): Promise<Extract<ToolOutcome, { kind: 'result' | 'task' }>> {
    let answers: ToolAnswers | undefined;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const outcome = await this.attempt(round, answers);
      if (outcome.kind === 'result' || outcome.kind === 'task') return outcome;
      if (outcome.kind === 'asks') answers = await this.answered(outcome);
      else if (outcome.why !== 'unknown-outcome' || this.terms.onUnknown !== 'ask' || !(await this.mayRepeat()))
        throw new ToolFailed(outcome.why, outcome.text);
    }
    throw new ToolFailed('refused', `The tool ${this.called.tool} of ${this.called.server} asks without an end`);
  }

  /** Notes a call before sending it: a run that finds the note without an outcome cannot know whether it was sent. */
  private async attempt(round: number, answers: ToolAnswers | undefined): Promise<ToolOutcome> {
    const name = round === 0 ? this.called.name : `${this.called.name}/${String(round)}`;
    const digest = digestOf([this.called.args, answers ?? null]);
    const own = { isFirst: false };
    const intent = await this.run.step(`${name} intent`, async () => {
      own.isFirst = true;
      return { digest, pin: this.terms.pin, at: Date.now() };
    });
    if (intent.digest !== digest) {
      throw new JournalMismatch(round + 1, `${name} ${intent.digest}`, `${name} ${digest}`);
    }
    return this.run.step(name, async () => {
      const mayBeDone = !own.isFirst && !this.terms.isRepeatable && this.terms.onUnknown !== 'repeat';
      const outcome = mayBeDone ? this.unknown() : await this.invoke(answers);
      await this.run.noted?.(outcome);
      return outcome;
    });
  }

  private invoke(answers: ToolAnswers | undefined): Promise<ToolOutcome> {
    const { name, server, tool, args, options } = this.called;
    const { servers, taskId, tenant, idempotencyKey } = this.run;
    return servers.invoke({
      ...{ taskId, server, tool, args, tenant, signal: this.run.signal(), answers },
      idempotencyKey: `${idempotencyKey}:${name}`,
      timeoutMs: options.timeoutMs,
      onProgress: options.onProgress && throttled(options.onProgress),
    });
  }

  private unknown(): ToolOutcome {
    const { server, tool } = this.called;
    const text = `The tool ${tool} of ${server} may have been called: a process ended before its result was stored`;
    return { kind: 'failed', why: 'unknown-outcome', text };
  }

  /** A tool is never answered silently: its question is one of the skill, with the name of its server. */
  async answered(asks: Extract<ToolOutcome, { kind: 'asks' }>): Promise<ToolAnswers> {
    const content: Record<string, unknown> = {};
    for (const question of asks.questions) content[question.key] = await this.answer(question);
    return { content, ...(asks.state === undefined ? {} : { state: asks.state }) };
  }

  private async answer({ text, schema, url }: ToolQuestion): Promise<unknown> {
    const asker = `${this.called.server}: ${text}`;
    if (url !== undefined) {
      await this.run.ask({ question: `${asker}\n${url}`, auth: true });
      return undefined;
    }
    const { value } = await this.run.ask({ question: asker, ...(schema === undefined ? {} : { schema }) });
    return value;
  }

  private async mayRepeat(): Promise<boolean> {
    const { server, tool } = this.called;
    const question = `The tool ${tool} of ${server} may have been called already. Call it again?`;
    const { value } = await this.run.ask<{ readonly again?: unknown }>({ question, schema: REPEAT });
    return value.again === true;
  }
}

const REPEAT: JsonObject = {
  type: 'object',
  properties: { again: { type: 'boolean', title: 'Call it again' } },
  required: ['again'],
};

function digestOf(value: unknown): string {
  return createHash('sha256')
    .update(canonicalize(value) ?? '')
    .digest('base64url');
}

function throttled(report: (progress: ToolProgress) => void): (progress: ToolProgress) => void {
  let last = -PROGRESS_MS;
  return (progress) => {
    const now = performance.now();
    if (now - last < PROGRESS_MS) return;
    last = now;
    report(progress);
  };
}
