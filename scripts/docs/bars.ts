/** One group of bars: a thing that was measured, for each of those that it was measured of. */
interface Group {
  readonly title: string;
  readonly bars: readonly { readonly name: string; readonly value: number; readonly text: string }[];
}

export interface Plot {
  readonly title: string;
  /** How and when it was measured. */
  readonly note: string;
  readonly groups: readonly Group[];
}

const [WIDTH, NAMES, VALUES] = [880, 190, 110];
const [ROW, BAR, TITLE, GAP] = [22, 14, 26, 14];
const [NOTE_LINE, NOTE_CHARACTERS] = [14, 140];
/** As the console's: the first bar of a group is the subject of the page. */
const STYLE = `
  text { font: 13px system-ui, 'DejaVu Sans', sans-serif; fill: #1b1a18; }
  .title { font-weight: 650; font-size: 15px; } .soft { fill: #55534d; font-size: 11px; }
  .ground { fill: #ffffff; } .other { fill: #b9b7af; } .first { fill: #0f5e6b; }
  @media (prefers-color-scheme: dark) {
    text { fill: #ecebe8; } .soft { fill: #a8b0b7; } .ground { fill: #191c1f; } .other { fill: #596067; } .first { fill: #70c7d3; }
  }`;

/** Groups of bars below each other, as SVG; each group has a scale of its own, which begins at zero. */
export function barsSvg({ title, note, groups }: Plot): string {
  const shapes: string[] = [];
  let y = 40;
  for (const { title: name, bars } of groups) {
    y += TITLE;
    shapes.push(`<text x="16" y="${String(y - 8)}" font-weight="600">${escaped(name)}</text>`);
    const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
    for (const [at, bar] of bars.entries()) {
      const width = Math.max(1, (bar.value / most) * (WIDTH - NAMES - VALUES - 16));
      const middle = String(y + BAR - 2);
      shapes.push(
        `<text x="16" y="${middle}">${escaped(bar.name)}</text>`,
        `<rect x="${String(NAMES)}" y="${String(y)}" width="${width.toFixed(1)}" height="${String(BAR)}" rx="2" class="${at === 0 ? 'first' : 'other'}"/>`,
        `<text x="${(NAMES + width + 8).toFixed(1)}" y="${middle}">${escaped(bar.text)}</text>`,
      );
      y += ROW;
    }
    y += GAP;
  }
  const lines = wrapped(note);
  const height = y + 10 + lines.length * NOTE_LINE;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(WIDTH)} ${String(height)}" role="img" aria-label="${escaped(title)}">`,
    `<style>${STYLE}\n</style>`,
    `<rect width="${String(WIDTH)}" height="${String(height)}" rx="8" class="ground"/>`,
    `<text x="16" y="28" class="title">${escaped(title)}</text>`,
    ...shapes,
    ...lines.map(
      (line, at) => `<text x="16" y="${String(y + (at + 1) * NOTE_LINE)}" class="soft">${escaped(line)}</text>`,
    ),
    '</svg>\n',
  ].join('\n');
}

/** Lines that fit, broken at spaces. */
function wrapped(text: string): readonly string[] {
  if (text.length <= NOTE_CHARACTERS) return [text];
  const cut = text.lastIndexOf(' ', NOTE_CHARACTERS);
  return cut <= 0 ? [text] : [text.slice(0, cut), ...wrapped(text.slice(cut + 1))];
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
