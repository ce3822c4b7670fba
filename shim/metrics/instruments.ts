/** Counters, gauges and histograms in Prometheus' text format (0.0.4). */

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Nobody changes them. */
export type Labels = Readonly<Record<string, string>>;

interface MetricFamily {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  lines(): string[];
}

/** A number for each set of labels that only grows. */
export class Counter implements MetricFamily {
  readonly type = 'counter';
  readonly #values = new Map<string, number>();
  constructor(
    readonly name: string,
    readonly help: string,
  ) {}

  add(labels: Labels, amount = 1): void {
    const key = printLabels(labels);
    this.#values.set(key, (this.#values.get(key) ?? 0) + amount);
  }

  lines(): string[] {
    return [...this.#values].map(([labels, value]) => `${this.name}${labels} ${value}`);
  }
}

/** Values that are read when the metrics are printed. Undefined values are left out. */
export class Gauge implements MetricFamily {
  readonly type = 'gauge';
  constructor(
    readonly name: string,
    readonly help: string,
    private readonly read: () => [labels: Labels, value: number | undefined][],
  ) {}

  lines(): string[] {
    return this.read()
      .filter(([, value]) => value !== undefined)
      .map(([labels, value]) => `${this.name}${printLabels(labels)} ${value}`);
  }
}

/** Counts observations by size. */
export class Histogram implements MetricFamily {
  readonly type = 'histogram';
  readonly #series = new Map<string, { labels: Labels; counts: number[]; sum: number; count: number }>();
  constructor(
    readonly name: string,
    readonly help: string,
    /** Upper bounds in ascending order. */
    private readonly bounds: readonly number[],
  ) {}

  observe(labels: Labels, value: number): void {
    const key = printLabels(labels);
    let series = this.#series.get(key);
    if (!series) {
      series = { labels, counts: this.bounds.map(() => 0), sum: 0, count: 0 };
      this.#series.set(key, series);
    }
    series.sum += value;
    series.count++;
    const at = this.bounds.findIndex((bound) => value <= bound);
    if (at >= 0) series.counts[at]!++;
  }

  lines(): string[] {
    return [...this.#series.values()].flatMap(({ labels, counts, sum, count }) => {
      let below = 0;
      const buckets = this.bounds.map((bound, at) => {
        below += counts[at]!;
        return `${this.name}_bucket${printLabels({ ...labels, le: String(bound) })} ${below}`;
      });
      return [
        ...buckets,
        `${this.name}_bucket${printLabels({ ...labels, le: '+Inf' })} ${count}`,
        `${this.name}_sum${printLabels(labels)} ${sum}`,
        `${this.name}_count${printLabels(labels)} ${count}`,
      ];
    });
  }
}

/** Prints all metrics that have a value. */
export function printFamilies(families: readonly MetricFamily[]): string {
  return families
    .map((family) => ({ family, lines: family.lines() }))
    .filter(({ lines }) => lines.length > 0)
    .flatMap(({ family: { name, help, type }, lines }) => [
      `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
      `# TYPE ${name} ${type}`,
      ...lines,
    ])
    .map((line) => `${line}\n`)
    .join('');
}

/** Labels that are counted again and again are printed once. */
const printed = new WeakMap<Labels, string>();

function printLabels(labels: Labels): string {
  let text = printed.get(labels);
  if (text === undefined) {
    text = joinLabels(labels);
    printed.set(labels, text);
  }
  return text;
}

function joinLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) =>
      `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
