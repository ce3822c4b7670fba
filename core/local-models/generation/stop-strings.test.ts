import { describe, expect, test } from 'vitest';
import { StopStrings } from './stop-strings.ts';

/** Pushes pieces until a stop string ends the text. Returns the pieces that came out, and the rest. */
function feed(stops: string[], pieces: string[]): { out: string[]; stopped: boolean; rest: string } {
  const finder = new StopStrings(stops);
  const out: string[] = [];
  for (const piece of pieces) {
    const { text, stopped } = finder.push(piece);
    out.push(text);
    if (stopped) return { out, stopped, rest: finder.flush() };
  }
  return { out, stopped: false, rest: finder.flush() };
}

describe('StopStrings', () => {
  test.each<[string, string[], string[], string[], boolean, string]>([
    ['no stop strings', [], ['a', 'b'], ['a', 'b'], false, ''],
    ['an empty stop string is ignored', [''], ['a'], ['a'], false, ''],
    ['a stop string inside a piece', ['<x>'], ['a<x>b'], ['a'], true, ''],
    ['a stop string at the start', ['<x>'], ['<x>b'], [''], true, ''],
    ['a stop string over three pieces', ['<x>'], ['a<', 'x', '>b'], ['a', '', ''], true, ''],
    ['a beginning that does not continue', ['<x>'], ['a<', 'y'], ['a', '<y'], false, ''],
    ['a beginning at the end', ['<x>'], ['a<x'], ['a'], false, '<x'],
    ['the longest beginning is held', ['>a', '<x>'], ['1<x'], ['1'], false, '<x'],
    ['the first of two in the text wins, not in the list', ['b', 'a'], ['xaxb'], ['x'], true, ''],
    ['the same, in the other order', ['a', 'b'], ['xaxb'], ['x'], true, ''],
    ['a stop string before one that does not occur', ['a', 'z'], ['xab'], ['x'], true, ''],
    ['a stop string after one that does not occur', ['z', 'a'], ['xab'], ['x'], true, ''],
    ['a repeated beginning', ['aab'], ['aa', 'a', 'b'], ['', 'a', ''], true, ''],
  ])('%s', (_, stops, pieces, out, stopped, rest) => {
    expect(feed(stops, pieces)).toEqual({ out, stopped, rest });
  });

  test('flush returns held text once', () => {
    const finder = new StopStrings(['<x>']);
    finder.push('<');
    expect([finder.flush(), finder.flush()]).toEqual(['<', '']);
  });
});
