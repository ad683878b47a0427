/** An event of an executor, as the official SDK has it. */
export interface SdkEvent {
  readonly kind: string;
  readonly data: unknown;
}

type Listener = (event: SdkEvent) => void;

/** The event bus of an executor: published events are read in order, and its listeners get them too. */
export class ExecutionBus {
  private readonly waiting: SdkEvent[] = [];
  private readonly listeners = { event: new Set<Listener>(), finished: new Set<Listener>() };
  private isFinished = false;
  private wake: (() => void) | undefined;

  publish(event: SdkEvent): void {
    if (this.isFinished) return;
    this.waiting.push(event);
    for (const listener of this.listeners.event) listener(event);
    this.wake?.();
  }

  finished(): void {
    if (this.isFinished) return;
    this.isFinished = true;
    for (const listener of this.listeners.finished) listener({ kind: 'finished', data: undefined });
    this.wake?.();
  }

  on(name: 'event' | 'finished', listener: Listener): this {
    this.listeners[name].add(listener);
    return this;
  }

  off(name: 'event' | 'finished', listener: Listener): this {
    this.listeners[name].delete(listener);
    return this;
  }

  once(name: 'event' | 'finished', listener: Listener): this {
    const heard: Listener = (event) => {
      this.off(name, heard);
      listener(event);
    };
    return this.on(name, heard);
  }

  removeAllListeners(name?: 'event' | 'finished'): this {
    for (const each of name === undefined ? (['event', 'finished'] as const) : [name]) this.listeners[each].clear();
    return this;
  }

  /** Published events, until the executor has finished. */
  async *events(): AsyncGenerator<SdkEvent, void, void> {
    for (;;) {
      const next = this.waiting.shift();
      if (next !== undefined) yield next;
      else if (this.isFinished) return;
      else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}
