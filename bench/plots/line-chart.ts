/** Line charts as SVG documents, for light and dark pages. */

export interface Axis {
  label: string;
  scale: 'linear' | 'log';
}

export interface Series {
  name: string;
  /** In the order of x. */
  points: (readonly [x: number, y: number])[];
  /** A dashed line is a reference. */
  dashed?: boolean;
}

export interface LineChart {
  title: string;
  /** Machine and date. */
  subtitle: string;
  x: Axis;
  y: Axis;
  series: Series[];
}

const WIDTH = 760;
const HEIGHT = 440;
const PLOT = { left: 70, right: 520, top: 70, bottom: 380 };
/** Pixels between two labels of lines. */
const LABEL_GAP = 16;

/** Okabe and Ito's colors, which color-blind people can distinguish. */
const COLORS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#7f7f7f', '#a6761d'];

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 16px; font-weight: 600 }
  .small { font-size: 11px }
  .ground { fill: #fff }
  .grid { stroke: #d1d9e0 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .ground { fill: #0d1117 }
    .grid { stroke: #3d444d }
  }`;

/** @throws if a series is empty, or if a logarithmic axis would need zero */
export function lineChart({ title, subtitle, x, y, series }: LineChart): string {
  const points = series.flatMap((entry) => entry.points);
  if (series.length === 0 || series.some((entry) => entry.points.length === 0))
    throw new Error('nothing to draw');
  const xs = [...new Set(points.map(([value]) => value))].sort((a, b) => a - b);
  const yTicks = ticksOf(
    y.scale,
    points.map(([, value]) => value),
  );
  const toX = position(x.scale, xs[0]!, xs.at(-1)!, PLOT.left, PLOT.right);
  const toY = position(y.scale, yTicks[0]!, yTicks.at(-1)!, PLOT.bottom, PLOT.top);
  const ends = spread(series.map((entry) => toY(entry.points.at(-1)![1])));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">`,
    `<title>${escapeText(`${title}. ${series.map(inWords).join('; ')}`)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" width="${WIDTH}" height="${HEIGHT}"/>`,
    text(PLOT.left, 28, title, 'class="title"'),
    text(PLOT.left, 48, subtitle, 'class="small"'),
    ...yTicks.map(
      (tick) =>
        line(PLOT.left, toY(tick), PLOT.right, toY(tick)) +
        text(PLOT.left - 8, toY(tick) + 4, number(tick), END),
    ),
    ...xs.map(
      (tick) =>
        line(toX(tick), PLOT.bottom, toX(tick), PLOT.bottom + 5) +
        text(toX(tick), PLOT.bottom + 20, number(tick), MIDDLE),
    ),
    text((PLOT.left + PLOT.right) / 2, PLOT.bottom + 44, x.label, MIDDLE),
    text(PLOT.left, PLOT.top - 6, y.label, 'class="small"'),
    ...series.map((entry, index) => {
      const color = COLORS[index % COLORS.length]!;
      const path = entry.points.map(([px, py]) => `${round(toX(px))},${round(toY(py))}`);
      const dash = entry.dashed ? ' stroke-dasharray="6 4"' : '';
      return (
        `<polyline points="${path.join(' ')}" fill="none" stroke="${color}" stroke-width="2"${dash}/>` +
        path
          .map((at) => `<circle cx="${at.split(',')[0]}" cy="${at.split(',')[1]}" r="3" fill="${color}"/>`)
          .join('') +
        text(PLOT.right + 12, ends[index]! + 4, entry.name, `style="fill:${color}"`)
      );
    }),
    '</svg>\n',
  ].join('\n');
}

const END = 'text-anchor="end"';
const MIDDLE = 'text-anchor="middle"';

const text = (x: number, y: number, content: string, attributes: string) =>
  `<text x="${round(x)}" y="${round(y)}" ${attributes}>${escapeText(content)}</text>`;

const line = (x1: number, y1: number, x2: number, y2: number) =>
  `<line class="grid" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`;

const round = (value: number) => Number(value.toFixed(1));
const number = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 2 });
const inWords = ({ name, points }: Series) =>
  `${name}: ${points.map(([x, y]) => `${number(y)} at ${number(x)}`).join(', ')}`;
const escapeText = (content: string) =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Maps values of an axis to pixels. */
function position(scale: Axis['scale'], low: number, high: number, from: number, to: number) {
  const of = (value: number) => (scale === 'log' ? Math.log(value) : value);
  const range = of(high) - of(low) || 1;
  return (value: number) => from + ((of(value) - of(low)) / range) * (to - from);
}

/** Round numbers that enclose the values: from 0 on a linear axis, 1, 2, 5, 10 ... on a logarithmic one. */
export function ticksOf(scale: Axis['scale'], values: number[]): number[] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (scale === 'log' && low <= 0) throw new Error('a logarithmic axis has no zero');
  const steps = (exponent: number) => [1, 2, 5].map((digit) => digit * 10 ** exponent);
  if (scale === 'log') {
    const exponents = range(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high)));
    const all = exponents.flatMap(steps);
    const first = all.findLastIndex((tick) => tick <= low);
    return all.slice(first, all.findIndex((tick) => tick >= high) + 1);
  }
  const step = range(-3, 12)
    .flatMap(steps)
    .find((size) => high / size <= 8)!;
  return range(0, Math.max(1, Math.ceil(high / step))).map((count) => Number((count * step).toPrecision(12)));
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Moves labels apart that would overlap, and keeps their order. */
export function spread(positions: number[]): number[] {
  const order = positions.map((_, index) => index).sort((a, b) => positions[a]! - positions[b]!);
  const moved = [...positions];
  let lowest = Number.NEGATIVE_INFINITY;
  for (const index of order) {
    moved[index] = Math.max(moved[index]!, lowest + LABEL_GAP);
    lowest = moved[index]!;
  }
  return moved;
}
