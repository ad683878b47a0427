/** The names in a text, spaces or line breaks between. */
type Names<S> = S extends `${infer A}\n${infer B}`
  ? Names<A> | Names<B>
  : S extends `${infer A} ${infer B}`
    ? Names<A> | Names<B>
    : S extends ''
      ? never
      : S;

/**
 * The keys and arguments of a script by their names, in their order: texts of names. A script reads a key `due` as the
 * local `due_key`, and an argument `maxEvents` as `max_events`.
 */
export interface ScriptInput {
  readonly keys?: string;
  readonly args?: string;
  /**
   * Inputs that a call passes all together or not at all: `has_<group>` is the flag, and the locals of an absent group
   * are nil.
   */
  readonly groups?: Readonly<Record<string, { readonly keys?: string; readonly args?: string }>>;
  /**
   * Any number of keys, `KEYS[<list>_from]` to `KEYS[<list>_to]`: single keys where the text is '', else rows of these
   * columns, read by `-- @row <list> at`.
   */
  readonly keyLists?: Readonly<Record<string, string>>;
  /** Likewise `ARGV[<list>_from]` …; a last column `...fields` is a list in its row: `fields_from` to `fields_to`. */
  readonly argLists?: Readonly<Record<string, string>>;
}

export type ScriptArgument = string | number;

type Named<S, V> = Readonly<Record<Extract<Names<S>, string>, V>>;
type Row<S, V> = {
  readonly [N in Extract<Names<S>, string> as N extends `...${infer L}` ? L : N]: N extends `...${string}`
    ? readonly V[]
    : V;
};
type Lists<L, V> = { readonly [N in keyof L]: readonly (L[N] extends '' ? V : Row<L[N], V>)[] };
type Groups<G, P extends 'keys' | 'args', V> = {
  readonly [N in keyof G as G[N] extends Readonly<Record<P, string>> ? N : never]?:
    (G[N] extends Readonly<Record<P, infer S>> ? Named<S, V> : never) | undefined;
};

/** The keys of a call, by name. */
export type KeysOf<D extends ScriptInput> = Named<D['keys'], string> &
  Groups<D['groups'], 'keys', string> &
  Lists<D['keyLists'], string>;

/** The arguments of a call, by name. */
export type ArgsOf<D extends ScriptInput> = Named<D['args'], ScriptArgument> &
  Groups<D['groups'], 'args', ScriptArgument> &
  Lists<D['argLists'], ScriptArgument>;

/** A group in its order. */
export interface GroupOrder {
  readonly name: string;
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** A list in its order; `spread` is the name of the list that ends each row, or ''. */
export interface ListOrder {
  readonly name: string;
  readonly columns: readonly string[];
  readonly spread: string;
}

/** The declaration of a script's input as lists. */
export interface InputOrder {
  readonly keys: readonly string[];
  readonly args: readonly string[];
  readonly groups: readonly GroupOrder[];
  readonly keyLists: readonly ListOrder[];
  readonly argLists: readonly ListOrder[];
}

export function inputOrder({ keys, args, groups, keyLists, argLists }: ScriptInput): InputOrder {
  return {
    keys: namesIn(keys),
    args: namesIn(args),
    groups: Object.entries(groups ?? {}).map(([name, of]) => ({
      ...{ name, keys: namesIn(of.keys), args: namesIn(of.args) },
    })),
    keyLists: Object.entries(keyLists ?? {}).map(listOrder),
    argLists: Object.entries(argLists ?? {}).map(listOrder),
  };
}

function listOrder([name, text]: readonly [string, string]): ListOrder {
  const names = namesIn(text);
  const columns = names.filter((one) => !one.startsWith('...'));
  const spread = names.find((one) => one.startsWith('...'))?.slice(3) ?? '';
  return { name, columns, spread };
}

function namesIn(text = ''): readonly string[] {
  return text.split(/\s+/).filter((name) => name !== '');
}
