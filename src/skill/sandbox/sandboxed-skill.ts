import { AsyncResource } from 'node:async_hooks';
import type { SkillEvent } from '@parley/sdk/skill/events.js';
import { hosted } from '@parley/sdk/skill/context/skill-host.js';
import { TurnParked } from '@parley/sdk/skill/replay/journal.js';
import type { SkillContext, SkillHandler } from '@parley/sdk/skill/skill.js';
import type { Undo } from '@parley/sdk/skill/calls/call.js';
import type { IncomingAnswer } from '@parley/sdk/skill/requests/skill-request.js';
import { outcomeOf, unpackError, valueOf } from './sandbox-error.js';
import type { ArtifactCall, FromSandbox, SandboxCall, SandboxOutcome, StateCall } from './sandbox-message.js';
import { SANDBOX_DEFAULTS, type SandboxOptions, SandboxProcess } from './sandbox-process.js';

/** The module and export of a sandboxed skill's class. */
export interface SkillSource {
  /** The compiled module. */
  readonly module: URL;
  readonly exportName: string;
}

/** Runs each turn of a skill in a process of its own; for its caller it is a skill like any other. */
export class SandboxedSkill implements SkillHandler {
  constructor(
    private readonly source: SkillSource,
    private readonly options: SandboxOptions = SANDBOX_DEFAULTS,
  ) {}

  async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    context.signal.throwIfAborted();
    const sandbox = new SandboxProcess({ ...this.options, flags: flagsFor(this.source) });
    const abort = (): void => {
      const reason: unknown = context.signal.reason;
      if (reason instanceof TurnParked) void sandbox.kill();
      else sandbox.abort(String(reason));
    };
    context.signal.addEventListener('abort', abort);
    try {
      serve(sandbox, context);
      const { module, exportName } = this.source;
      const turn = { facts: hosted(context, 'facts'), senders: await context.senders() };
      sandbox.send({ kind: 'start', module: module.href, exportName, turn });
      for (;;) {
        const result = await sandbox.next();
        if (result.kind === 'done') {
          // A skill that returns after an abort has not finished its turn.
          context.signal.throwIfAborted();
          return;
        }
        if (result.kind === 'threw') {
          throw unpackError(result.error);
        }
        yield result.event;
      }
    } catch (error) {
      context.signal.throwIfAborted();
      throw error;
    } finally {
      context.signal.removeEventListener('abort', abort);
      await sandbox.kill();
    }
  }
}

/** `parley dev` runs uncompiled skills. */
function flagsFor({ module }: SkillSource): readonly string[] {
  const isCompiled = !module.pathname.endsWith('.ts');
  return isCompiled ? [] : ['--import', new URL('../../platform/typescript/register.mjs', import.meta.url).href];
}

/** Serves the calls of the skill to its context. */
function serve(sandbox: SandboxProcess, context: SkillContext): void {
  const works = new Map<number, (outcome: SandboxOutcome) => void>();
  const work = async (id: number): Promise<unknown> => {
    const outcome = await new Promise<SandboxOutcome>((resolve) => {
      works.set(id, resolve);
      sandbox.send({ kind: 'work', id });
    });
    return valueOf(outcome);
  };
  const answer = async (id: number, call: SandboxCall): Promise<void> => {
    const outcome = await outcomeOf(() => perform(call, context, () => work(id)));
    sandbox.send({ kind: 'answered', id, outcome });
  };
  const receive = (message: FromSandbox): void => {
    if (message.kind === 'call') {
      void answer(message.id, message.call);
    } else if (message.kind === 'worked') {
      works.get(message.id)?.(message.outcome);
    }
  };
  // Messages arrive outside of the run: binds their handling to its trace and its log.
  sandbox.listen(AsyncResource.bind(receive));
}

/** The step of a sandbox is sent together with its compensation. */
async function step(name: string, context: SkillContext, work: () => Promise<unknown>): Promise<unknown> {
  let undo: Undo | undefined;
  const done = async (): Promise<unknown> => {
    const result = (await work()) as { readonly value?: unknown; readonly undo?: Undo };
    ({ undo } = result);
    return result.value;
  };
  return context.step(name, done, { undo: () => undo });
}

async function perform(call: SandboxCall, context: SkillContext, work: () => Promise<unknown>): Promise<unknown> {
  switch (call.target) {
    case 'value':
      return access(context, call);
    case 'log':
      context.log[call.method](call.message, { ...call.fields });
      return undefined;
    case 'step':
      return step(call.name, context, work);
    case 'sleep':
      return context.sleep(call.ms);
    case 'waitFor':
      return context.waitFor(call.options);
    case 'calls':
      return hosted(context, 'calls')(call.group);
    case 'fetch':
      return answerOf(await context.fetch(call.url, call.request));
    case 'tool':
      return context.tools.call(call.server, call.tool, call.args, call.options);
    case 'ask':
      return hosted(context, 'ask')(call.question);
    case 'publish':
      hosted(context, 'publish')(call.publication, call.number);
      return undefined;
    case 'put':
    case 'artifact':
    case 'references':
      return artifacts(call, context);
    case 'now':
    case 'random':
      return context[call.target]();
  }
}

function artifacts(call: ArtifactCall, context: SkillContext): Promise<unknown> {
  const { put, get, references } = context.artifacts;
  if (call.target === 'references') return references();
  return call.target === 'put' ? put(call.name, call.content) : get(call.reference);
}

async function answerOf(response: Response): Promise<IncomingAnswer> {
  const body = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers: Object.fromEntries(response.headers), body };
}

function access({ state, shared }: SkillContext, call: StateCall): Promise<unknown> {
  if (call.method === 'setIfAbsent') return shared(call.of).setIfAbsent(call.name, call.value);
  const values = call.of === 'state' ? state : shared(call.of);
  return call.method === 'get' ? values.get(call.name) : values.set(call.name, call.value);
}
