import type { Replay } from '../replay/replay.js';
import { SkillFailure } from '../skill-failure.js';
import type { SharedState } from '../skill.js';
import { NumberedWrites, type SharedTexts } from './numbered-writes.js';
import { type BranchWrites, joinedSince, type Reducers } from './reducer.js';

/** Values that one turn writes, their bytes, and those of one value. */
const MAX_VALUES = 1_000;
const MAX_BYTES = 256 * 1024;
const MAX_VALUE_BYTES = 64 * 1024;

/** A child that has written shared values: its call, and its task. */
export interface Branch {
  readonly key: string;
  readonly taskId: string;
}

/** Where the shared values of a tree are kept. */
export interface SharedKeeper {
  readonly replay: Replay;
  readonly reducers: Reducers;
  /** The values that the turn began with: those of its task, else those that its parent had when it called. */
  before(): Promise<SharedTexts>;
  write(number: number, texts: SharedTexts): Promise<void>;
  /** Values written by a child that has ended. */
  writtenBy(taskId: string): Promise<SharedTexts>;
}

/**
 * The values of a tree as one turn sees them: those that it began with, and its own. A child sees the values of its
 * parent at the call, and its writes reach the parent with its result, if it completes. Reads and writes are numbered
 * and in the journal.
 */
export class TreeValues implements SharedState {
  private readonly own = new NumberedWrites();
  private began: Promise<SharedTexts> | undefined;
  private joining: Promise<unknown> = Promise.resolve();

  constructor(private readonly keeper: SharedKeeper) {}

  /** Resolves when no fan-out is being joined: a call that follows sees the joined values. */
  get settled(): Promise<unknown> {
    return this.joining;
  }

  readonly get = (name: string): Promise<unknown> => {
    const { position } = this.keeper.replay;
    const read = async () => answerOf(await this.textAt(name, position));
    return this.keeper.replay.ask(`shared.get ${name}`, read, valueOf);
  };

  readonly set = async (name: string, value: unknown): Promise<void> => {
    const { position } = this.keeper.replay;
    this.add(position, new Map([[name, jsonOf(name, value)]]));
    const work = () => this.write(position).then(() => ({}));
    await this.keeper.replay.ask(`shared.set ${name}`, work, () => undefined);
  };

  readonly setIfAbsent = async (name: string, value: unknown): Promise<unknown> => {
    const known = await this.get(name);
    if (known !== undefined) return known;
    await this.set(name, value);
    return this.get(name);
  };

  /**
   * Takes over the writes of the children of a call or a fan-out. Throws `SkillFailure` where two of them, or one and
   * this turn meanwhile, have written different values for a name without a reducer.
   * @param fork the number of the call
   */
  join(fork: number, branches: readonly Branch[]): Promise<void> {
    const { position, ask } = this.asking();
    const work = async (): Promise<{ json: string }> => {
      this.add(position, await this.joined({ fork, position }, branches));
      await this.write(position);
      return { json: JSON.stringify([...this.own.between(position - 1, position + 1)]) };
    };
    const recall = (json: string | undefined): void => {
      if (json !== undefined) this.own.add(position, new Map(JSON.parse(json) as [string, string][]));
    };
    const joining = ask(`shared.join ${branches.map(({ key }) => key).join(' ')}`, work, recall);
    this.joining = Promise.allSettled([this.joining, joining]);
    return joining.then(() => undefined);
  }

  /** All values that a call at this position sees. */
  async valuesAt(position: number): Promise<SharedTexts> {
    return new Map([...(await this.beginning()), ...this.own.between(-1, position)]);
  }

  private asking() {
    const { replay } = this.keeper;
    return { position: replay.position, ask: replay.ask.bind(replay) };
  }

  private async joined(
    { fork, position }: { readonly fork: number; readonly position: number },
    branches: readonly Branch[],
  ): Promise<SharedTexts> {
    const written = await Promise.all(
      branches.map(async ({ key, taskId }) => branchOf(key, await this.keeper.writtenBy(taskId))),
    );
    const meanwhile = this.own.between(fork, position);
    const names = new Set(written.flatMap((one) => [...one.written.keys()]));
    const own = branchOf('this task', new Map([...meanwhile].filter(([name]) => names.has(name))));
    const began = await this.beginning();
    const before = (name: string): unknown => valueOf(this.own.get(name, fork) ?? began.get(name));
    const values = joinedSince(before, [own, ...written], this.keeper.reducers);
    return new Map([...values].map(([name, value]) => [name, jsonOf(name, value)]));
  }

  private add(position: number, texts: SharedTexts): void {
    const all = [...this.own.between(-1, Infinity), ...texts];
    const bytes = [...new Map(all)].reduce((sum, [name, text]) => sum + name.length + Buffer.byteLength(text), 0);
    if (new Map(all).size > MAX_VALUES) throw new SkillFailure(`A turn shares at most ${String(MAX_VALUES)} values.`);
    if (bytes > MAX_BYTES) throw new SkillFailure(`A turn shares at most ${String(MAX_BYTES / 1024)} KiB.`);
    this.own.add(position, texts);
  }

  private async write(position: number): Promise<void> {
    await this.beginning();
    await this.keeper.write(position, this.own.between(position - 1, position + 1));
  }

  private async textAt(name: string, position: number): Promise<string | undefined> {
    return this.own.get(name, position) ?? (await this.beginning()).get(name);
  }

  private beginning(): Promise<SharedTexts> {
    return (this.began ??= this.keeper.before());
  }
}

function branchOf(branch: string, texts: SharedTexts): BranchWrites {
  return { branch, written: new Map([...texts].map(([name, text]) => [name, valueOf(text)])) };
}

function answerOf(json: string | undefined): { readonly json?: string; readonly value?: unknown } {
  return json === undefined ? {} : { json, value: valueOf(json) };
}

function valueOf(json: string | undefined): unknown {
  return json === undefined ? undefined : (JSON.parse(json) as unknown);
}

function jsonOf(name: string, value: unknown): string {
  const json = JSON.stringify(value ?? null);
  if (Buffer.byteLength(json) > MAX_VALUE_BYTES) {
    throw new SkillFailure(
      `The shared value "${name}" has more than ${String(MAX_VALUE_BYTES / 1024)} KiB: share a reference to an artifact.`,
    );
  }
  return json;
}
