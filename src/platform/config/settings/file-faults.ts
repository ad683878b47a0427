import { ConfigError } from '../config-error.js';
import type { Variables } from '../variables/secret-files.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** Reads members of a settings file and collects its faults: one line each, with the position in the file. */
export class FileFaults {
  private readonly lines: string[];

  constructor(
    private readonly place: string,
    private readonly variables: Variables,
    lines: string[] = [],
  ) {
    this.lines = lines;
  }

  /** The same for a part of the file. */
  of(name: string): FileFaults {
    return new FileFaults(`${this.place}: ${name}`, this.variables, this.lines);
  }

  add(why: string): void {
    this.lines.push(`${this.place}: ${why}`);
  }

  /** Records a fault and returns the value to continue with. */
  refuse<T>(why: string, otherwise: T): T {
    this.add(why);
    return otherwise;
  }

  /** @throws ConfigError with all faults */
  assertNone(): void {
    if (this.lines.length > 0) throw new ConfigError(this.lines.join('\n'));
  }

  onlyMembers(object: JsonObject, members: readonly string[]): void {
    const unknown = Object.keys(object).filter((name) => !members.includes(name));
    if (unknown.length > 0) this.add(`has no member ${unknown.join(', ')}`);
  }

  /** A text; `env:NAME` reads a variable. */
  text(object: JsonObject, name: string, prefix = ''): string {
    const given = object[name];
    if (given === undefined) return this.refuse(`${prefix}${name} is missing`, '');
    if (typeof given !== 'string' || given === '') return this.refuse(`${prefix}${name} must be a text`, '');
    const found = given.startsWith('env:') ? (this.variables[given.slice(4)] ?? '') : given;
    return found === '' ? this.refuse(`${prefix}${name}: ${given} is not set`, '') : found;
  }

  wholeNumber(
    object: JsonObject,
    name: string,
    { usual, most }: { readonly usual: number; readonly most: number },
  ): number {
    const value = object[name] ?? usual;
    if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= most) return value;
    this.add(`${name} must be a whole number from 1 to ${String(most)}`);
    return usual;
  }

  /** One of the words; the first is the default. */
  choice<T extends string>(object: JsonObject, name: string, words: readonly [T, ...T[]]): T {
    const value = object[name] ?? words[0];
    const found = words.find((word) => word === value);
    if (found === undefined) this.add(`${name} is ${words.join(' or ')}`);
    return found ?? words[0];
  }
}
