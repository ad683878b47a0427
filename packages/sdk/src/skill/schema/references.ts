import type { JsonObject } from '@parley/protocol/model/json.js';
import { SchemaTooHard } from './budget.js';

/** Values of a schema, and levels of it, that are searched for anchors. */
const MAX_SEARCHED = 10_000;
const MAX_SEARCHED_DEPTH = 64;

/** The references of a document: within it only. */
export class SchemaReferences {
  private found: ReadonlyMap<string, unknown> | undefined;

  constructor(private readonly root: unknown) {}

  /** Target of a schema's reference; undefined where it has none. @throws SchemaTooHard for a target outside the document */
  targetOf(schema: JsonObject): { readonly schema: unknown } | undefined {
    const $ref = schema.$ref ?? schema.$dynamicRef ?? schema.$recursiveRef;
    if ($ref === undefined) return undefined;
    if (typeof $ref !== 'string' || !$ref.startsWith('#')) throw new SchemaTooHard('it refers to another document');
    this.found ??= anchorsIn(this.root);
    const name = decoded($ref.slice(1));
    const isPointer = name === '' || name.startsWith('/');
    const names = $ref.slice(1).split('/').slice(1);
    const found = isPointer
      ? names.reduce<unknown>((at, one) => memberOf(at, decoded(one)), this.root)
      : this.found.get(name);
    if (found === undefined) throw new SchemaTooHard('it refers to nothing');
    return { schema: found };
  }
}

/**
 * Subschemas by the names that `$anchor`, `$dynamicAnchor`, or an id of draft-04 to -07 give them.
 * @throws SchemaTooHard for a document in the document: references in it count from its `$id`
 */
function anchorsIn(root: unknown): ReadonlyMap<string, unknown> {
  const anchors = new Map<string, unknown>();
  const open: { readonly schema: unknown; readonly depth: number }[] = [{ schema: root, depth: 0 }];
  for (let at = 0; at < Math.min(open.length, MAX_SEARCHED); at += 1) {
    const { schema, depth } = open[at] ?? { schema: undefined, depth: 0 };
    if (typeof schema !== 'object' || schema === null || depth > MAX_SEARCHED_DEPTH) continue;
    const { $anchor, $dynamicAnchor, $id, id } = schema as JsonObject;
    if (depth > 0 && typeof $id === 'string' && !$id.startsWith('#'))
      throw new SchemaTooHard('it has another document in it');
    for (const name of [$anchor, $dynamicAnchor, fragmentOf($id), fragmentOf(id)]) {
      if (typeof name === 'string' && !anchors.has(name)) anchors.set(name, schema);
    }
    open.push(...Object.values(schema).map((one: unknown) => ({ schema: one, depth: depth + 1 })));
  }
  return anchors;
}

function fragmentOf(id: unknown): string | undefined {
  return typeof id === 'string' && id.startsWith('#') && id.length > 1 ? id.slice(1) : undefined;
}

/** A member by its name as a step of a JSON pointer. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const plain = name.replaceAll('~1', '/').replaceAll('~0', '~');
  return Object.hasOwn(value, plain) ? (Reflect.get(value, plain) as unknown) : undefined;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw new SchemaTooHard('it has a reference that cannot be read');
  }
}
