import type { Referenced, ReferencedTask } from '@parley/sdk/skill/artifacts/skill-artifacts.js';
import type { CallOutcome } from '@parley/sdk/skill/calls/call.js';
import { skillCalls } from '@parley/sdk/skill/calls/skill-calls.js';
import type { StoredAnswer } from '@parley/protocol/extension/questions.js';
import { assertOutsideSteps, inStep } from '@parley/sdk/skill/step-scope.js';
import { type Publish, skillPublish } from '@parley/sdk/skill/publication.js';
import { skillAsk } from '@parley/sdk/skill/questions/ask.js';
import type { Received, SharedState, SkillContext, SkillState } from '@parley/sdk/skill/skill.js';
import type { SkillTools, ToolResult } from '@parley/sdk/skill/tools/skill-tool.js';
import { responseOf } from '@parley/sdk/skill/requests/skill-fetch.js';
import type { IncomingAnswer } from '@parley/sdk/skill/requests/skill-request.js';
import { type StepOptions, undoOf } from '@parley/sdk/skill/undo.js';
import { outcomeOf, packError, valueOf } from './sandbox-error.js';
import type { FromSandbox, SandboxCall, SandboxContext, ToSandbox } from './sandbox-message.js';

/** The context of a skill in a sandbox: data is local, everything else is a call to the service. */
export class RemoteContext {
  private readonly controller = new AbortController();
  private readonly answers = new Map<number, (message: ToSandbox & { kind: 'answered' }) => void>();
  private readonly works = new Map<number, () => Promise<unknown>>();
  private lastId = 0;

  constructor(private readonly send: (message: FromSandbox) => void) {}

  /** Takes a message that concerns the context. */
  receive(message: Exclude<ToSandbox, { kind: 'start' | 'next' }>): void {
    switch (message.kind) {
      case 'abort':
        this.controller.abort(new DOMException(message.reason, 'AbortError'));
        return;
      case 'answered':
        this.answers.get(message.id)?.(message);
        this.answers.delete(message.id);
        return;
      case 'work':
        void this.work(message.id);
    }
  }

  of(data: SandboxContext): SkillContext {
    const ask = skillAsk(async (question, until) => {
      if (until !== undefined) throw new RangeError('A sandboxed skill asks without until');
      return (await this.call({ target: 'ask', question })) as StoredAnswer | undefined;
    });
    const say = (method: 'info' | 'warn') => (message: string, fields?: object) => {
      void this.call({ target: 'log', method, message, ...(fields === undefined ? {} : { fields }) });
    };
    return {
      ...data,
      input: undefined,
      memory: {},
      senders: () => Promise.resolve(data.senders),
      state: this.state('state'),
      contextState: this.sharedState('contextState'),
      shared: this.sharedState('shared'),
      signal: this.controller.signal,
      log: { info: say('info'), warn: say('warn') },
      fetch: async (url, request = {}) =>
        responseOf((await this.call({ target: 'fetch', url: String(url), request })) as IncomingAnswer),
      tools: this.tools(),
      sleep: async (ms) => {
        assertOutsideSteps('sleep()');
        await this.call({ target: 'sleep', ms });
      },
      waitFor: async (options) => {
        assertOutsideSteps('waitFor()');
        const call = { target: 'waitFor', ...(options === undefined ? {} : { options }) } as const;
        return (await this.call(call)) as Received | undefined;
      },
      now: async () => (await this.call({ target: 'now' })) as number,
      random: async () => (await this.call({ target: 'random' })) as number,
      publish: this.publish(),
      ...this.artifacts(),
      ask,
      ...skillCalls(async (group) => (await this.call({ target: 'calls', group })) as readonly CallOutcome[], ask),
      step: (name, work, options) => this.step(name, work, options),
    };
  }

  private artifacts(): Pick<SkillContext, 'artifacts' | 'references'> {
    return {
      artifacts: {
        put: async (name, content) => (await this.call({ target: 'put', name, content })) as string,
        get: async (reference) => (await this.call({ target: 'artifact', reference })) as Referenced | undefined,
      },
      references: async () => (await this.call({ target: 'references' })) as readonly ReferencedTask[],
    };
  }

  /** Progress stays in the service: functions do not cross the border. */
  private tools(): SkillTools {
    return {
      call: async (server, tool, args = {}, { onProgress: _none, ...options } = {}) => {
        assertOutsideSteps('tools.call()');
        return (await this.call({ target: 'tool', server, tool, args, options })) as ToolResult;
      },
    };
  }

  /** Its compensation is created here, from its result. */
  private async step<T>(name: string, work: () => Promise<T>, options: StepOptions<T> = {}): Promise<T> {
    const done = async (): Promise<object> => {
      const value = await inStep(name, work);
      return { value, undo: undoOf(options, value) };
    };
    return (await this.call({ target: 'step', name }, done)) as T;
  }

  private publish(): Publish {
    return skillPublish((publication) => {
      void this.call({ target: 'publish', publication });
    });
  }

  private sharedState(target: 'contextState' | 'shared'): SharedState {
    return {
      ...this.state(target),
      setIfAbsent: async (name, value) => {
        assertOutsideSteps(`${target}.setIfAbsent()`);
        return this.call({ target, method: 'setIfAbsent', name, value });
      },
    };
  }

  private state(target: 'state' | 'contextState' | 'shared'): SkillState {
    return {
      get: async (name) => {
        assertOutsideSteps(`${target}.get()`);
        return this.call({ target, method: 'get', name });
      },
      set: async (name, value) => {
        assertOutsideSteps(`${target}.set()`);
        await this.call({ target, method: 'set', name, value });
      },
    };
  }

  private async call(call: SandboxCall, work?: () => Promise<unknown>): Promise<unknown> {
    const id = ++this.lastId;
    if (work !== undefined) {
      this.works.set(id, work);
    }
    const answer = await new Promise<ToSandbox & { kind: 'answered' }>((resolve) => {
      this.answers.set(id, resolve);
      this.send({ kind: 'call', id, call });
    });
    this.works.delete(id);
    return valueOf(answer.outcome);
  }

  private async work(id: number): Promise<void> {
    const outcome = await outcomeOf(() => this.works.get(id)?.());
    try {
      this.send({ kind: 'worked', id, outcome });
    } catch (error) {
      // The result cannot be sent to another process (a function, say).
      this.send({ kind: 'worked', id, outcome: { kind: 'error', error: packError(error) } });
    }
  }
}
