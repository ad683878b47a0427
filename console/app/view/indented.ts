/** Characters beyond which JSON is shown as it was stored. */
const MAX_INDENTED = 400_000;

/** Breaks JSON into lines without reading its values. */
export function indented(json: string): string {
  if (json.length > MAX_INDENTED) return json;
  let [text, depth, isText] = ['', 0, false];
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at] ?? '';
    if (isText) {
      text += character;
      if (character === '\\') text += json[(at += 1)] ?? '';
      else if (character === '"') isText = false;
    } else if (character === '"') {
      text += character;
      isText = true;
    } else if (character === '{' || character === '[') {
      const isEmpty = /^\s*[}\]]/.test(json.slice(at + 1, at + 20));
      depth += 1;
      text += isEmpty ? character : `${character}\n${'  '.repeat(depth)}`;
    } else if (character === '}' || character === ']') {
      const isEmpty = /[{[]$/.test(text);
      depth = Math.max(0, depth - 1);
      text += isEmpty ? character : `\n${'  '.repeat(depth)}${character}`;
    } else if (character === ',') text += `,\n${'  '.repeat(depth)}`;
    else if (character === ':') text += ': ';
    else if (!/\s/.test(character)) text += character;
  }
  return text;
}
