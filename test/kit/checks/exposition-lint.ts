const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const SAMPLE =
  /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (N[aA][nN]|[+-]Inf|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;
const TYPES = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];
const UNITS = /_(milliseconds|millis|ms|minutes|hours|kilobytes|megabytes|percent)(_|$)/;

interface Family {
  readonly name: string;
  readonly type: string;
  readonly lines: readonly string[];
}

/**
 * What is wrong with a text in Prometheus' exposition format 0.0.4, by its grammar and by the conventions that
 * `promtool check metrics` holds: every family is told once with help and type, counters alone end in `_total`, units are
 * base units, no series stands twice, and the buckets of a histogram grow up to its count.
 */
export function expositionFaults(text: string): readonly string[] {
  const faults = text.endsWith('\n') ? [] : ['the last line has no end'];
  const families = familiesOf(text);
  const names = families.map(({ name }) => name);
  faults.push(...names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${name} is told twice`));
  return [...faults, ...families.flatMap(faultsOf)];
}

function familiesOf(text: string): readonly Family[] {
  return text
    .split(/^(?=# HELP )/m)
    .filter((block) => block.trim() !== '')
    .map((block) => {
      const [help = '', type = '', ...lines] = block.split('\n').filter((line) => line !== '');
      const [, name = help] = /^# HELP (\S+) \S/.exec(help) ?? [];
      const [, typed, kind = ''] = /^# TYPE (\S+) (\S+)$/.exec(type) ?? [];
      return { name, type: typed === name ? kind : '', lines };
    });
}

function faultsOf({ name, type, lines }: Family): readonly string[] {
  const faults: string[] = [];
  if (!NAME.test(name)) faults.push(`${name} is no name, or has no help`);
  if (!TYPES.includes(type)) faults.push(`${name} has no type`);
  if (type === 'counter' && !name.endsWith('_total')) faults.push(`${name} is a counter without _total`);
  if (type !== 'counter' && name.endsWith('_total')) faults.push(`${name} is no counter`);
  if (UNITS.test(name)) faults.push(`${name} is not in a base unit`);
  const own = type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
  for (const line of lines) {
    const [, series] = SAMPLE.exec(line) ?? [];
    if (series === undefined) faults.push(`no sample: ${line}`);
    else if (!own.includes(series)) faults.push(`${series} stands under ${name}`);
  }
  const series = lines.map((line) => line.slice(0, line.lastIndexOf(' ')));
  faults.push(...series.filter((one, at) => series.indexOf(one) !== at).map((one) => `${one} stands twice`));
  return type === 'histogram' ? [...faults, ...bucketFaults(name, lines)] : faults;
}

/** Each group of buckets in its order: never smaller than the one before, up to `+Inf`, which is the count. */
function bucketFaults(name: string, lines: readonly string[]): readonly string[] {
  const groups = new Map<string, { le: string; count: number }[]>();
  for (const line of lines.filter((one) => one.startsWith(`${name}_bucket`))) {
    const labels = /\{(.*)\} /.exec(line)?.[1] ?? '';
    const [, le = ''] = /le="([^"]*)"/.exec(labels) ?? [];
    const group = labels.replace(/,?le="[^"]*",?/, '');
    groups.set(group, [...(groups.get(group) ?? []), { le, count: Number(line.slice(line.lastIndexOf(' ') + 1)) }]);
  }
  return [...groups].flatMap(([group, buckets]) => {
    const grows = buckets.every(({ count }, at) => count >= (buckets[at - 1]?.count ?? 0));
    const total = lines.find((line) => line.startsWith(group === '' ? `${name}_count ` : `${name}_count{${group}}`));
    const isWhole = buckets.at(-1)?.le === '+Inf' && total?.endsWith(` ${String(buckets.at(-1)?.count)}`) === true;
    return grows && isWhole ? [] : [`${name}{${group}}: its buckets do not add up`];
  });
}
