/**
 * A proto3 file as data. A field is written `<number> <type>`: the type may be preceded by `map` (from string) and
 * followed by `[]` (repeated) or `?` (explicit presence), and `!` where the protocol requires it (google.api.field_behavior);
 * `of <name>` puts the field into a oneof, `as <name>` gives it another name in JSON. Types of google.protobuf are written without their package.
 */
export interface ProtoFile {
  readonly package: string;
  /** Names of each enum in the order of their numbers from 0. */
  readonly enums?: Readonly<Record<string, readonly string[]>>;
  readonly messages: Readonly<Record<string, ProtoFields>>;
  readonly service?: {
    readonly name: string;
    /** Prefixes of the paths of its methods; default none. */
    readonly prefixes?: readonly string[];
    /**
     * Request, response, which begins with `stream ` where it is one, and the HTTP call that the method is (google.api.http), with the
     * member that is its body.
     */
    readonly methods: Readonly<Record<string, readonly [request: string, response: string, http: string]>>;
  };
}

/** The fields of a message by their names. */
export type ProtoFields = Readonly<Record<string, string>>;

/** A field as parsed from its line. */
export interface ProtoField {
  readonly number: number;
  readonly type: string;
  readonly isMap: boolean;
  readonly repeated: boolean;
  readonly optional: boolean;
  readonly required: boolean;
  readonly oneof: string | undefined;
  readonly jsonName: string | undefined;
}

const FIELD = /^(\d+) (map )?(\w+)(\[\]|\?)?(!)?(?: of (\w+))?(?: as (\w+))?$/;

/** Reads a field's text. Throws a SyntaxError for one that is not written as `ProtoFile` says. */
export function parseField(text: string): ProtoField {
  const [, number, map, type, suffix, mark, oneof, jsonName] = FIELD.exec(text) ?? [];
  if (number === undefined || type === undefined) throw new SyntaxError(`"${text}" is no proto field`);
  const isMap = map !== undefined;
  const presence = { repeated: suffix === '[]', optional: suffix === '?', required: mark !== undefined };
  return { number: Number(number), type, isMap, ...presence, oneof, jsonName };
}

/** The JSON name that a proto name has by default. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}
