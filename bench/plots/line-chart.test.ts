import { describe, expect, it } from 'vitest';
import { type LineChart, lineChart, spread, ticksOf } from './line-chart.ts';

const chart = (changes: Partial<LineChart> = {}): LineChart => ({
  title: 'Speed <a & b>',
  subtitle: 'here',
  x: { label: 'tokens', scale: 'log' },
  y: { label: 'tokens/s', scale: 'linear' },
  series: [
    {
      name: 'tabd',
      points: [
        [30, 150],
        [300, 100],
      ],
    },
    {
      name: 'peer',
      points: [
        [30, 120],
        [300, 101],
      ],
      dashed: true,
    },
  ],
  ...changes,
});

describe('a line chart', () => {
  it('has a line and a label for each series, and its values as text', () => {
    const svg = lineChart(chart());
    expect(svg.match(/<polyline/g)).toHaveLength(2);
    expect(svg).toContain(
      '<title>Speed &lt;a &amp; b&gt;. tabd: 150 at 30, 100 at 300; peer: 120 at 30, 101 at 300</title>',
    );
    expect(svg.match(/stroke-dasharray/g)).toHaveLength(1);
    expect(svg).not.toContain('NaN');
    // The first and the last x are the edges of the plot.
    expect(svg).toMatch(/points="70,[\d.]+ 520,[\d.]+"/);
  });
  it('draws a single point', () => {
    expect(lineChart(chart({ series: [{ name: 'a', points: [[5, 5]] }] }))).not.toMatch(/NaN|Infinity/);
  });
  it('refuses to draw nothing, and zero on a logarithmic axis', () => {
    expect(() => lineChart(chart({ series: [] }))).toThrow('nothing to draw');
    expect(() => lineChart(chart({ series: [{ name: 'a', points: [] }] }))).toThrow('nothing to draw');
    expect(() => ticksOf('log', [0, 1])).toThrow('no zero');
  });
});

it('chooses round ticks that enclose the values', () => {
  expect(ticksOf('linear', [33, 158])).toEqual([0, 20, 40, 60, 80, 100, 120, 140, 160]);
  expect(ticksOf('linear', [0.4, 0.7])).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]);
  expect(ticksOf('log', [29, 4760])).toEqual([20, 50, 100, 200, 500, 1000, 2000, 5000]);
  expect(ticksOf('log', [100, 1000])).toEqual([100, 200, 500, 1000]);
});

it('moves labels apart and keeps their order', () => {
  expect(spread([100, 40, 102])).toEqual([100, 40, 116]);
});
