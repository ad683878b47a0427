import type { DtoClass } from '../skill.js';

const SETTINGS = new WeakSet<object>();

/**
 * Declares a class as the settings of a skill pack: its members are the names of environment variables, checked by their
 * class-validator decorators at the start and by `parley ops doctor`. Export it beside the skills and inject it by its class.
 */
export function SkillSettings(): (target: DtoClass) => void {
  return (target) => {
    SETTINGS.add(target);
  };
}

export function isSkillSettings(value: object): value is DtoClass {
  return SETTINGS.has(value);
}
