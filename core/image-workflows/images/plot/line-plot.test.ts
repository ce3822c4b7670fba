import { expect, it } from 'vitest';
import { runToEnd } from '../../yielding/steps.ts';
import { LETTER_HEIGHT, LETTER_WIDTH, textDots } from './letters.ts';
import { linePlot } from './line-plot.ts';

const plotOf = (values: readonly number[]) => runToEnd(linePlot(values, { x: 'Step', y: 'Loss' }));

/** The rows of a rectangle of the plot: `#` for black dots. */
function blackDots(values: readonly number[], left: number, top: number, width: number): string[] {
  const plot = plotOf(values);
  const isBlack = (x: number, y: number) => {
    const at = (y * plot.width + x) * 3;
    return plot.data.subarray(at, at + 3).every((channel) => channel === 0);
  };
  return Array.from({ length: LETTER_HEIGHT }, (_, row) =>
    Array.from({ length: width }, (_, column) => (isBlack(left + column, top + row) ? '#' : ' ')).join(''),
  );
}
function rowsOf(text: string): string[] {
  const dots = new Set([...textDots(text)].map(String));
  return Array.from({ length: LETTER_HEIGHT }, (_, y) =>
    Array.from({ length: text.length * LETTER_WIDTH }, (_, x) => (dots.has(`${x},${y}`) ? '#' : ' ')).join(
      '',
    ),
  );
}

it('has letters of 5 x 7 dots, one dot apart, and blanks for unknown letters', () => {
  expect(rowsOf('1?-')).toEqual([
    '  #               ',
    ' ##               ',
    '  #               ',
    '  #          ###  ',
    '  #               ',
    '  #               ',
    ' ###              ',
  ]);
});

it.each([
  [[0, 7.123456], '7.123'],
  [[0, 123456], '1.2e+5'],
  [[0, 0.00012], '1.2e-4'],
])('writes the highest of %j as %s, right-aligned at the axis', (values, text) => {
  const width = text.length * LETTER_WIDTH;
  expect(blackDots(values, 54 - width, 8, width)).toEqual(rowsOf(text));
});

it('writes the number of values below the right end of the axis', () => {
  expect(blackDots([1, 2, 3], 830 - LETTER_WIDTH, 492, LETTER_WIDTH)).toEqual(rowsOf('3'));
});
