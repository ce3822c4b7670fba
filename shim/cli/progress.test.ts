import { describe, expect, it } from 'vitest';
import { formatAge, formatBytes, formatSeconds, formatTable } from '../base/format.ts';
import { ProgressView } from './progress.ts';

function view(isTTY: boolean) {
  let now = 0;
  const written: string[] = [];
  const terminal = { isTTY, columns: 80, write: (text: string) => written.push(text) };
  const progress = new ProgressView(terminal, () => now);
  return { progress, written, at: (time: number) => (now = time) };
}
const step = (completed: number) => ({
  status: 'pulling abc',
  digest: 'sha256:abc',
  total: 100e6,
  completed,
});

describe('ProgressView', () => {
  it('redraws one line on a terminal, with size, speed and time left', () => {
    const { progress, written, at } = view(true);
    progress.show({ status: 'pulling manifest' });
    progress.show(step(0));
    at(50);
    progress.show(step(1e6)); // This step comes too soon to be drawn.
    at(1000);
    progress.show(step(10e6));
    progress.show({ status: 'success' });
    progress.end();
    expect(written.join('')).toBe(
      'pulling manifest\n' +
        '\r\x1b[2K░░░░░░░░░░░░░░░░░░░░░░░░ pulling abc  0%  0 B of 100 MB' +
        '\r\x1b[2K██░░░░░░░░░░░░░░░░░░░░░░ pulling abc  10%  10 MB of 100 MB  10 MB/s  9 s left' +
        '\nsuccess\n',
    );
  });

  it('writes a line every few seconds without a terminal, and the last one', () => {
    const { progress, written, at } = view(false);
    for (let second = 0; second <= 12; second++) {
      at(second * 1000);
      progress.show(step(second * 5e6));
    }
    progress.show(step(100e6));
    progress.show(step(100e6));
    expect(written).toEqual([
      'pulling abc  0%  0 B of 100 MB\n',
      'pulling abc  25%  25 MB of 100 MB  5.0 MB/s  15 s left\n',
      'pulling abc  50%  50 MB of 100 MB  5.0 MB/s  10 s left\n',
      'pulling abc  100%  100 MB of 100 MB\n',
    ]);
  });

  it('never writes wider than the terminal', () => {
    const { progress, written } = view(true);
    progress.show({ ...step(1), status: 'pulling '.repeat(30) });
    expect(written[0]!.length).toBeLessThan(80 + '\r\x1b[2K'.length);
  });
});

describe('format', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [98_362_661, '98 MB'],
    [999_600, '1.0 MB'],
    [4_100_000_000, '4.1 GB'],
  ])('%d bytes', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
  it.each([
    [0.2, '1 s'],
    [59, '59 s'],
    [60, '1 min'],
    [7500, '2 h 5 min'],
  ])('%d seconds', (seconds, text) => expect(formatSeconds(seconds)).toBe(text));
  it.each([
    [1000, '1 second ago'],
    [125_000, '2 minutes ago'],
    [90_000_000, '1 day ago'],
    [86_400_000 * 30, '4 weeks ago'],
  ])('%d ms ago', (ms, text) => expect(formatAge(new Date(0), ms)).toBe(text));
  it('aligns columns', () =>
    expect(
      formatTable([
        ['A', 'B'],
        ['long', 'x'],
      ]),
    ).toBe('A     B\nlong  x\n'));
});
