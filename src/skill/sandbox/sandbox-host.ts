import type { StoredAnswer } from '@parley/protocol/extension/questions.js';
import type { Referenced, ReferencedTask } from '@parley/sdk/skill/artifacts/skill-artifacts.js';
import type { CallOutcome } from '@parley/sdk/skill/calls/call.js';
import { NotSupported, type SkillHost } from '@parley/sdk/skill/context/skill-host.js';
import { responseOf } from '@parley/sdk/skill/requests/skill-fetch.js';
import type { IncomingAnswer } from '@parley/sdk/skill/requests/skill-request.js';
import type { StoredScope } from '@parley/sdk/skill/shared/scope.js';
import type { Received, SharedState, SkillLog, SkillState } from '@parley/sdk/skill/skill.js';
import { assertOutsideSteps } from '@parley/sdk/skill/step-scope.js';
import type { SkillTools, ToolResult } from '@parley/sdk/skill/tools/skill-tool.js';
import { type StepOptions, undoOf } from '@parley/sdk/skill/undo.js';
import { outcomeOf, packError, valueOf } from './sandbox-error.js';
import type { FromSandbox, SandboxCall, SandboxTurn, ToSandbox } from './sandbox-message.js';

const KIND = 'a sandboxed skill';

/** The host of a skill in a sandbox: the data of its turn is local, everything else is a call to the service. */
export class SandboxHost {
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

  of({ facts, senders }: SandboxTurn): SkillHost {
    return {
      kind: KIND,
      facts,
      signal: this.controller.signal,
      senders: () => Promise.resolve(senders),
      state: this.state('state'),
      shared: (scope) => this.shared(scope),
      log: { info: this.say('info'), warn: this.say('warn') },
      fetch: async (url, request = {}) =>
        responseOf((await this.call({ target: 'fetch', url: String(url), request })) as IncomingAnswer),
      tools: () => this.tools(),
      sleep: async (ms) => {
        await this.call({ target: 'sleep', ms });
      },
      waitFor: async (options) => {
        const call = { target: 'waitFor', ...(options === undefined ? {} : { options }) } as const;
        return (await this.call(call)) as Received | undefined;
      },
      now: async () => (await this.call({ target: 'now' })) as number,
      random: async () => (await this.call({ target: 'random' })) as number,
      publish: (publication, number) => void this.call({ target: 'publish', publication, number }),
      artifacts: {
        put: async (name, content) => (await this.call({ target: 'put', name, content })) as string,
        get: async (reference) => (await this.call({ target: 'artifact', reference })) as Referenced | undefined,
        references: async () => (await this.call({ target: 'references' })) as readonly ReferencedTask[],
      },
      ask: async (question, until) => {
        if (until !== undefined) throw new NotSupported('ask() with `until`', KIND);
        return (await this.call({ target: 'ask', question })) as StoredAnswer | undefined;
      },
      calls: async (group) => (await this.call({ target: 'calls', group })) as readonly CallOutcome[],
      step: (name, work, options) => this.step(name, work, options),
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

  private say(method: 'info' | 'warn'): SkillLog['info'] {
    return (message, fields) => {
      void this.call({ target: 'log', method, message, ...(fields === undefined ? {} : { fields }) });
    };
  }

  /** Its compensation is created here, from its result. */
  private async step<T>(name: string, work: () => Promise<T>, options: StepOptions<T>): Promise<T> {
    const done = async (): Promise<object> => {
      const value = await work();
      return { value, undo: undoOf(options, value) };
    };
    return (await this.call({ target: 'step', name }, done)) as T;
  }

  private shared(of: StoredScope): SharedState {
    return {
      ...this.state(of),
      setIfAbsent: (name, value) => this.call({ target: 'value', of, method: 'setIfAbsent', name, value }),
    };
  }

  private state(of: 'state' | StoredScope): SkillState {
    return {
      get: (name) => this.call({ target: 'value', of, method: 'get', name }),
      set: async (name, value) => {
        await this.call({ target: 'value', of, method: 'set', name, value });
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
