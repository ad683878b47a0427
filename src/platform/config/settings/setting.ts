/** Description of a setting in `.env.example` and docs/settings.md. */
export interface SettingFacts {
  /** Its member of the settings class. */
  readonly name: string;
  readonly doc: string;
  /** The variable of an earlier version for this setting. */
  readonly was?: string;
}

/**
 * A class of settings. Members in capitals are variables of the environment; the others are in its section of
 * parley.yaml.
 */
export type SettingsClass<T extends object = object> = new () => T;

const FACTS = new WeakMap<object, SettingFacts[]>();

/**
 * Describes a setting; the decorators of class-validator beside it check its value, and its initial value is the
 * default.
 */
export function Setting(doc: string, more: Pick<SettingFacts, 'was'> = {}): PropertyDecorator {
  return ({ constructor }, name) => {
    const facts = FACTS.get(constructor) ?? [];
    facts.push({ name: String(name), doc, ...more });
    FACTS.set(constructor, facts);
  };
}

/** The described settings of a class, in their order. */
export function settingsIn(type: SettingsClass): readonly SettingFacts[] {
  return FACTS.get(type) ?? [];
}

/** Whether a setting is a variable of the environment, by its name. */
export function isVariable(name: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(name);
}

/** The members of a settings class that are variables. */
export type VariablesOf<T> = { readonly [K in keyof T as K extends Uppercase<string & K> ? K : never]: T[K] };
