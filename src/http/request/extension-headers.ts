/** The headers by which callers request extensions: the present one, and 0.3's (A2A-EXT-02). */
const NAMES = ['a2a-extensions', 'x-a2a-extensions'] as const;
const NONE: readonly string[] = [];

/**
 * The extensions that a caller requests: URIs, separated by commas, in one header or several.
 * @param valuesOf returns all values of a header or of gRPC metadata, by its name in lower case
 */
export function askedExtensions(valuesOf: (name: string) => readonly string[]): readonly string[] {
  const [now, before] = [valuesOf(NAMES[0]), valuesOf(NAMES[1])];
  if (now.length === 0 && before.length === 0) return NONE;
  const uris = [...now, ...before].flatMap((value) => value.split(',')).map((uri) => uri.trim());
  return [...new Set(uris.filter((uri) => uri !== ''))];
}
