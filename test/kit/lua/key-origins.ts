/** Commands that name no key. */
const WITHOUT_KEYS = ['TIME', 'PUBLISH'];
/** Commands whose arguments are all keys. */
const ALL_KEYS = ['DEL', 'EXISTS', 'UNLINK'];

/**
 * The expressions in a script's `redis.call` that name a key and do not come from KEYS: each is followed through
 * variables, fields, loops and parameters of functions to where its value is made. Knows as much of Lua as our scripts use;
 * what it does not know counts as undeclared.
 */
export function undeclaredKeys(source: string): readonly string[] {
  const origins = new KeyOrigins(source);
  const calls = callsOf(source, 'redis.call');
  return calls.flatMap(([command = '', ...args]) => {
    const name = command.replaceAll("'", '');
    if (WITHOUT_KEYS.includes(name)) return [];
    const keys = ALL_KEYS.includes(name) ? args : args.slice(0, 1);
    return keys.filter((key) => !origins.isDeclared(key)).map((key) => `${name} ${key}`);
  });
}

class KeyOrigins {
  private readonly asked = new Map<string, boolean>();

  constructor(private readonly source: string) {}

  isDeclared(expression: string): boolean {
    const text = expression.trim();
    const known = this.asked.get(text);
    if (known !== undefined) return known;
    // A name that is asked for while it is followed adds nothing to what makes it.
    this.asked.set(text, true);
    const verdict = this.judge(text);
    this.asked.set(text, verdict);
    return verdict;
  }

  private judge(text: string): boolean {
    if (isOneOfKeys(text) || text === 'nil' || text === 'KEYS') return true;
    const choice = /^.+? and (.+) or (.+)$/.exec(text);
    if (choice !== null) return choice.slice(1).every((part) => this.isDeclared(part));
    if (!/^[\w.]+$/.test(text)) return false;
    const makers = text.includes('.') ? this.fieldMakers(text.split('.').at(-1) ?? '') : this.nameMakers(text);
    return makers.length > 0 && makers.every((maker) => this.isDeclared(maker));
  }

  private nameMakers(name: string): readonly string[] {
    return [...this.assigned(name), ...this.looped(name), ...this.passed(name)];
  }

  /** What stands in the place of a name on the right side of `local a, b = x, y` and `a, b = x, y`. */
  private assigned(name: string): readonly string[] {
    return [...this.source.matchAll(/^\s*(?:if .* then )?(?:local )?([\w., ]+?) = (.+)$/gm)].flatMap(
      ([, left = '', right = '']) => {
        const at = left.split(',').findIndex((one) => one.trim() === name);
        if (at === -1) return [];
        return [split(right.replace(/ end$/, ''))[at] ?? 'unknown()'];
      },
    );
  }

  private looped(name: string): readonly string[] {
    const loops = [...this.source.matchAll(/\bfor (\w+), (\w+) in ipairs\(([^\n]*)\) do/g)];
    return loops.flatMap(([, , value, list = '']) => {
      if (value !== name) return [];
      return list.startsWith('{') ? split(list.slice(1, -1)) : [list === 'KEYS' ? list : 'unknown()'];
    });
  }

  /** What the calls of functions with a parameter of this name pass for it. */
  private passed(name: string): readonly string[] {
    return [...this.source.matchAll(/\bfunction (\w+)\(([^)]*)\)/g)].flatMap(([, called = '', params = '']) => {
      const at = params.split(',').findIndex((one) => one.trim() === name);
      if (at === -1) return [];
      const calls = callsOf(this.source, called);
      // Part of a library that this script does not use.
      return calls.length === 0 ? ['nil'] : calls.map((args) => args[at] ?? 'unknown()');
    });
  }

  /** What is written to a field of this name, by assignment or where a table is made. */
  private fieldMakers(field: string): readonly string[] {
    const made = [...this.source.matchAll(/\{ ([^{}]*) \}/g)].flatMap(([, members = '']) => split(members));
    const members = made.filter((one) => one.startsWith(`${field} = `)).map((one) => one.slice(field.length + 3));
    const lefts = [...this.source.matchAll(/\b(\w+\.\w+)(?=[^=\n]* = )/g)].map(([, left = '']) => left);
    const assigned = [...new Set(lefts)].filter((left) => left.endsWith(`.${field}`));
    return [...members, ...assigned.flatMap((left) => this.assigned(left))];
  }
}

function isOneOfKeys(text: string): boolean {
  if (text === 'unpack(KEYS)' || /^unpack\(KEYS, \d+(?:, #KEYS - \d+)?\)$/.test(text)) return true;
  return text.startsWith('KEYS[') && closing(text, 4) === text.length - 1;
}

/** The arguments of all calls of a function. */
function callsOf(source: string, called: string): readonly (readonly string[])[] {
  const calls = [...source.matchAll(new RegExp(`(?<!function )\\b${called.replace('.', '\\.')}\\(`, 'g'))];
  return calls.map(({ 0: text, index }) => {
    const from = index + text.length;
    return split(source.slice(from, closing(source, from - 1)));
  });
}

/** Splits at commas that are inside no bracket and no text. */
function split(list: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < list.length; at += 1) {
    if ("'([{".includes(list[at] ?? '')) at = closing(list, at);
    if (list[at] === ',') {
      parts.push(list.slice(from, at).trim());
      from = at + 1;
    }
  }
  const last = list.slice(from).trim();
  return last === '' ? parts : [...parts, last];
}

/** The place of the bracket or quote that closes the one at `from`; the end of the text where there is none. */
function closing(text: string, from: number): number {
  if (text[from] === "'") {
    const end = text.indexOf("'", from + 1);
    return end === -1 ? text.length : end;
  }
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "'") at = closing(text, at);
    else if ('([{'.includes(text[at] ?? '')) depth += 1;
    else if (')]}'.includes(text[at] ?? '')) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return text.length;
}
