/** Prometheus' text format, as far as tests ask of it. */
export interface Exposition {
  /** Names of series, with `_bucket`, `_sum` and `_count`. */
  readonly names: ReadonlySet<string>;
  /** Labels by series name. */
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>;
  /** The sum of the samples of a name that carry these labels. */
  value(name: string, labels?: Readonly<Record<string, string>>): number;
}

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

/** Reads what `/metrics` answered. Throws for a line that is none. A declared metric without samples counts by its name. */
export function readExposition(text: string): Exposition {
  const samples = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(readSample);
  const declared = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) => namesOf(name, type));
  const labels = new Map<string, Set<string>>();
  for (const sample of samples) {
    const known = labels.get(sample.name) ?? new Set();
    for (const label of Object.keys(sample.labels)) known.add(label);
    labels.set(sample.name, known);
  }
  return {
    names: new Set([...declared, ...samples.map(({ name }) => name)]),
    labels,
    value: (name, wanted = {}) =>
      samples
        .filter(
          (it) => it.name === name && Object.entries(wanted).every(([label, value]) => it.labels[label] === value),
        )
        .reduce((sum, { value }) => sum + value, 0),
  };
}

function namesOf(name: string, type: string | undefined): readonly string[] {
  return type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}

function readSample(line: string): Sample {
  const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
  if (name === undefined) throw new Error(`no sample: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text]);
  return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) };
}
