/** Memory figures of a process or a Redis at one moment, by name. */
export type Vitals = Readonly<Record<string, number>>;

/** How a figure went over a long run. */
export interface Course {
  readonly first: number;
  readonly last: number;
  /** Of the straight line through all samples, a minute. */
  readonly slope: number;
  /** By how much that line rises over the whole time, as a share of its middle. */
  readonly rise: number;
}

interface Sample {
  readonly atMs: number;
  readonly vitals: Vitals;
}

/** Samples of one thing over time. */
export class VitalsLog {
  private readonly samples: Sample[] = [];

  constructor(readonly name: string) {}

  add(atMs: number, vitals: Vitals): void {
    this.samples.push({ atMs, vitals });
  }

  /** Minutes that are covered from `fromMs` on. */
  minutes(fromMs: number): number {
    const [first, last] = [this.since(fromMs)[0], this.samples.at(-1)];
    return first === undefined || last === undefined ? 0 : (last.atMs - first.atMs) / 60_000;
  }

  /** The course of every figure from a time on: data loaded and filled before that is no growth. */
  courses(fromMs: number): Readonly<Record<string, Course>> {
    const samples = this.since(fromMs);
    const names = Object.keys(samples[0]?.vitals ?? {});
    return Object.fromEntries(names.map((name) => [name, courseOf(samples, name)]));
  }

  private since(fromMs: number): readonly Sample[] {
    return this.samples.filter(({ atMs }) => atMs >= fromMs);
  }
}

/** Least squares. */
function courseOf(samples: readonly Sample[], name: string): Course {
  const points = samples.map(({ atMs, vitals }) => ({ x: atMs / 60_000, y: vitals[name] ?? 0 }));
  const middle = (values: readonly number[]): number => values.reduce((sum, it) => sum + it, 0) / values.length;
  const [x, y] = [middle(points.map((point) => point.x)), middle(points.map((point) => point.y))];
  const spread = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  const slope = spread === 0 ? 0 : points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / spread;
  const minutes = (points.at(-1)?.x ?? 0) - (points[0]?.x ?? 0);
  return { first: points[0]?.y ?? 0, last: points.at(-1)?.y ?? 0, slope, rise: y === 0 ? 0 : (slope * minutes) / y };
}
