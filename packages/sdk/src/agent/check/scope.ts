import type { JsonObject } from '@parley/protocol/model/json.js';
import { idOf, type SkillOptions, type SkillRef } from '../../skill/skill.js';
import type { Catalog } from '../../skill/start-check.js';

/** Known shape of a value before the flow runs. */
export interface Known {
  /** Absent: nothing is declared. */
  readonly schema?: JsonObject;
  /** In words: where the value comes from. */
  readonly origin: string;
  /** Absent on some ways through the flow. */
  readonly isOptional?: boolean;
  /** No step comes after this one. */
  readonly ends?: boolean;
}

/** Where a step is checked. */
export class Scope {
  private readonly own = new Map<string, Known>();

  constructor(
    readonly self: SkillOptions,
    readonly catalog: Catalog,
    private readonly faults: string[],
    private readonly place: Place,
  ) {}

  get last(): Known {
    return this.place.last;
  }

  /** The message of the task: its content besides the agent's input is not declared. */
  get message(): Known {
    return this.place.message;
  }

  get item(): Known | undefined {
    return this.place.item;
  }

  /** Says that the innermost loop may be left here; false where there is none. */
  leave(): boolean {
    const { exits } = this.place;
    if (exits !== undefined) exits.isUsed = true;
    return exits !== undefined;
  }

  /** Values that steps of this scope write. */
  get written(): ReadonlyMap<string, Known> {
    return this.own;
  }

  get(name: string): Known | undefined {
    const later = this.place.later?.get(name);
    return this.own.get(name) ?? this.place.values.get(name) ?? (later && { ...later, isOptional: true });
  }

  /** Says that a step leaves a value under this name. */
  write(name: string, known: Known): void {
    if (['input', 'text', 'files'].includes(name))
      this.fault(`"${name}" is the message's own: give the value another name`);
    this.own.set(name, known);
  }

  /** Notes a value that is there before the steps of this scope. */
  know(name: string, known: Known): void {
    this.own.set(name, known);
  }

  fault(text: string): void {
    this.faults.push(`${this.place.path === '' ? 'its flow' : `step "${this.place.path}"`}: ${text}`);
  }

  /** The skill of this id or class; reports a fault where there is none. */
  target(skill: SkillRef): SkillOptions | undefined {
    if (typeof skill === 'function') this.catalog.meet?.(skill);
    const found = this.catalog.find(idOf(skill));
    const hint = typeof skill === 'function' ? `: the pack that has it must export ${skill.name}` : '';
    if (found === undefined) this.fault(`there is no skill "${idOf(skill)}"${hint}`);
    return found;
  }

  /** The scope of a nested step: it sees the values known here, and its writes are its own. */
  inside(segment: string, changes: Partial<Omit<Place, 'path' | 'values'>> = {}): Scope {
    const path = [this.place.path, segment].filter((part) => part !== '').join('/');
    const values = new Map([...this.place.values, ...this.own]);
    return new Scope(this.self, this.catalog, this.faults, { ...this.place, ...changes, path, values });
  }

  /** The same scope, which drops its faults. */
  muted(): Scope {
    return new Scope(this.self, this.catalog, [], {
      ...this.place,
      values: new Map([...this.place.values, ...this.own]),
    });
  }

  /** Takes over the writes of a nested step. */
  adopt(inner: Scope, isOptional = false): void {
    for (const [name, known] of inner.own) this.own.set(name, isOptional ? { ...known, isOptional } : known);
  }
}

/** The surroundings of a step. */
export interface Place {
  readonly path: string;
  readonly values: ReadonlyMap<string, Known>;
  readonly last: Known;
  readonly message: Known;
  readonly item?: Known;
  /** Values that a later step of the same round writes. */
  readonly later?: ReadonlyMap<string, Known>;
  /** Whether a step leaves the innermost loop. */
  readonly exits?: { isUsed: boolean };
}
