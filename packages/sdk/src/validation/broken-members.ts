import type { ValidationError } from 'class-validator';

/** A member that breaks rules, and where it is. */
export interface BrokenMember {
  /** `message.parts[0].text` */
  readonly path: string;
  readonly property: string;
  /** Messages of each broken rule, by the rule's name. */
  readonly constraints: Readonly<Record<string, string>>;
  readonly value: unknown;
}

/**
 * class-validator's report as a list: every member that breaks a rule of its own, depth first.
 * @param parent path of the object that was checked; '' for none
 */
export function brokenMembers(errors: readonly ValidationError[], parent = ''): readonly BrokenMember[] {
  return errors.flatMap(({ property, constraints = {}, children = [], value }: ValidationError) => {
    const path = pathOf(property, parent);
    const own = Object.keys(constraints).length === 0 ? [] : [{ path, property, constraints, value: value as unknown }];
    return [...own, ...brokenMembers(children, path)];
  });
}

function pathOf(property: string, parent: string): string {
  if (/^\d+$/.test(property)) return `${parent}[${property}]`;
  return parent === '' ? property : `${parent}.${property}`;
}
