import { resumingFetch, type PageFetch } from './resuming-fetch.js';

interface PageMessage {
  readonly id: string;
  readonly role: string;
}

interface RunInput {
  readonly threadId: string;
  readonly runId: string;
  readonly messages: readonly PageMessage[];
  readonly forwardedProps?: unknown;
}

/** What `ParleyAgent` uses of an `HttpAgent`, in any version. */
interface PageAgent<I extends RunInput, E> {
  url: string;
  headers: Record<string, string>;
  fetch: PageFetch;
  threadId: string;
  run(input: I): E;
  abortRun(): void;
  clone(): PageAgent<I, E>;
  subscribe(subscriber: object): unknown;
}

/** A run on its way: its task, once the service has stated it. */
interface CurrentRun {
  readonly threadId: string;
  readonly runId: string;
  readonly taskId?: unknown;
}

const RUNS = new WeakMap<object, CurrentRun>();

/**
 * The `HttpAgent` of a page for an agent of Parley, made of the class of the AG-UI client that the page has: streams
 * resume, `connectAgent` opens the conversation of the thread, `abortRun` cancels the task, and a run sends the newest
 * messages only.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- TypeScript demands it of the constructor of a mixin.
export function parleyAgent<I extends RunInput, E, B extends new (...args: any[]) => PageAgent<I, E>>(HttpAgent: B) {
  return class ParleyAgent extends HttpAgent {
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    constructor(...args: any[]) {
      // eslint-disable-next-line @typescript-eslint/no-unsafe-argument
      super(...args);
      this.fetch = resumingFetch(this.fetch);
      this.subscribe({ onCustomEvent: withoutVoid, onRunStartedEvent: remember });
    }

    override run(input: I): E {
      RUNS.set(this, { threadId: input.threadId, runId: input.runId });
      const newest = ['assistant', 'user'].flatMap((role) => input.messages.findLast((one) => one.role === role) ?? []);
      const props = typeof input.forwardedProps === 'object' ? input.forwardedProps : {};
      const parley = { ...(props as { parley?: object } | null)?.parley, messages: 'new' };
      return super.run({ ...input, messages: newest, forwardedProps: { ...props, parley } });
    }

    /** The messages of the thread, then the rest of a run on its way. */
    connect(input: I): E {
      const opener = this.clone();
      opener.url = `${this.url}/connect`;
      RUNS.set(this, { threadId: input.threadId, runId: input.runId });
      return super.run.call(opener, { ...input, messages: [] });
    }

    /** Cancels the task; the stream then ends by itself. Without the service only the stream ends. */
    override abortRun(): void {
      const end = (): void => {
        super.abortRun();
      };
      const headers = { ...this.headers, 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(RUNS.get(this) ?? {}) };
      this.fetch(`${this.url}/cancel`, init).then(({ ok }) => (ok ? undefined : end()), end);
    }
  };
}

/** A text that is given up: it comes again. */
function withoutVoid({ event, messages }: { readonly event: VoidEvent; readonly messages: readonly PageMessage[] }) {
  if (event.name !== 'parley.void') return undefined;
  return { messages: messages.filter(({ id }) => id !== event.value.messageId) };
}

interface VoidEvent {
  readonly name: string;
  readonly value: { readonly messageId?: unknown };
}

function remember({ event, agent }: { readonly event: StartedEvent; readonly agent: PageAgent<never, unknown> }): void {
  const { threadId, runId, metadata } = event;
  RUNS.set(agent, { threadId, runId, taskId: metadata?.parley?.taskId });
}

interface StartedEvent {
  readonly threadId: string;
  readonly runId: string;
  readonly metadata?: { readonly parley?: { readonly taskId?: unknown } };
}
