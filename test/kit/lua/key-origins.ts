/** Commands that name no key. */
const WITHOUT_KEYS = ['TIME', 'PUBLISH'];
/** Commands whose arguments are all keys. */
const ALL_KEYS = ['DEL', 'EXISTS', 'UNLINK'];

const KEY_NAME = /^(?:\w+\.)?(?:\w+_)?key$/;

/**
 * What a compiled script takes for a key and is none: a key is read from KEYS, or has a name that ends in `key`, and nothing else
 * may be given to such a name, by an assignment, in a table, in a loop, as an argument of a function or as the result of one.
 * Knows as much of Lua as our scripts use; other expressions are no keys.
 */
export function undeclaredKeys(source: string): readonly string[] {
  return [
    ...keysOfCommands(source),
    ...assigned(source),
    ...inTables(source),
    ...inLoops(source),
    ...ofFunctions(source),
  ].flatMap(([place, key]) => (isKey(key) ? [] : [`${place} ${key}`]));
}

type Place = readonly [place: string, key: string];

function isKey(expression: string): boolean {
  const text = expression.trim();
  if (text === 'nil' || KEY_NAME.test(text) || /^(?:\w+_)?key\(/.test(text)) return true;
  if (/^unpack\(KEYS, \w+(?:, \w+)?\)$/.test(text)) return true;
  if (text.startsWith('KEYS[') && closing(text, 4) === text.length - 1) return true;
  const choice = /^.+? and (.+) or (.+)$/.exec(text);
  return choice?.slice(1).every(isKey) ?? false;
}

function keysOfCommands(source: string): readonly Place[] {
  return [...callsOf(source, 'redis.call'), ...callsOf(source, '(?<!redis\\.)call')].flatMap(
    ([command = '', ...args]) => {
      const name = command.replaceAll("'", '');
      if (WITHOUT_KEYS.includes(name)) return [];
      return (ALL_KEYS.includes(name) ? args : args.slice(0, 1)).map((key) => [name, key] as const);
    },
  );
}

/** What stands in the place of a key on the right side of `local a_key, b = x, y`. */
function assigned(source: string): readonly Place[] {
  const lines = source.matchAll(/^\s*(?:if .* then )?(?:local )?([\w., ]+?) = (.+)$/gm);
  return [...lines].flatMap(([, left = '', right = '']) => {
    const values = split(right.replace(/ end$/, ''));
    return split(left).flatMap((name, at) =>
      KEY_NAME.test(name) ? [[`${name} =`, values[at] ?? values.at(-1) ?? ''] as const] : [],
    );
  });
}

function inTables(source: string): readonly Place[] {
  const members = [...source.matchAll(/\{ ([^{}]*) \}/g)].flatMap(([, list = '']) => split(list));
  return members.flatMap((member) => {
    const [, name = '', value = ''] = /^(\w+) = (.*)$/s.exec(member) ?? [];
    return KEY_NAME.test(name) ? [[`${name} =`, value] as const] : [];
  });
}

function inLoops(source: string): readonly Place[] {
  return [...source.matchAll(/\bfor \w+, (\w+) in ipairs\(/g)].flatMap(({ 0: head, 1: name = '', index }) => {
    if (!KEY_NAME.test(name)) return [];
    const from = index + head.length;
    const list = source.slice(from, closing(source, from - 1));
    const values = list.startsWith('{') ? split(list.slice(1, -1)) : [list];
    return values.map((value) => [`${name} in`, value] as const);
  });
}

/** What functions are given for a key, and what one gives whose name is that of a key. */
function ofFunctions(source: string): readonly Place[] {
  return [...source.matchAll(/\bfunction (\w+)\(([^)]*)\)([^]*?)\n(?:end|local)\b/g)].flatMap(
    ([, called = '', parameters = '', body = '']) => {
      const results = KEY_NAME.test(called) ? [...body.matchAll(/\breturn (.+?)(?: end)?$/gm)] : [];
      const given = split(parameters).flatMap((name, at) =>
        KEY_NAME.test(name)
          ? callsOf(source, called).map((args) => [`${called}: ${name} =`, args[at] ?? ''] as const)
          : [],
      );
      return [...given, ...results.map(([, value = '']) => [`${called} returns`, value] as const)];
    },
  );
}

/** The arguments of all calls of a function. */
function callsOf(source: string, called: string): readonly (readonly string[])[] {
  const calls = [...source.matchAll(new RegExp(`(?<!function )\\b${called.replace('redis.', 'redis\\.')}\\(`, 'g'))];
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
