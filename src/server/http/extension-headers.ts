/** The names under which callers ask for extensions: today's, and 0.3's (A2A-EXT-02). */
const NAMES = ['a2a-extensions', 'x-a2a-extensions'] as const;

/**
 * The extensions that a caller asks for: URIs, separated by commas, in one header or several.
 * @param valuesOf all values of a header or of gRPC metadata, by its name in lower case
 */
export function askedExtensions(valuesOf: (name: string) => readonly string[]): readonly string[] {
  const values = NAMES.flatMap((name) => valuesOf(name)).flatMap((value) => value.split(','));
  return [...new Set(values.map((uri) => uri.trim()).filter((uri) => uri !== ''))];
}
