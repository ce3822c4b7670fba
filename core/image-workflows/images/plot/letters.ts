/** Small letters of 5 x 7 dots, as far as plots need them: pictures are drawn here without fonts. */

const DOTS: Record<string, string> = {
  '0': '.###. #...# #..## #.#.# ##..# #...# .###.',
  '1': '..#.. .##.. ..#.. ..#.. ..#.. ..#.. .###.',
  '2': '.###. #...# ....# ..##. .#... #.... #####',
  '3': '.###. #...# ....# ..##. ....# #...# .###.',
  '4': '...#. ..##. .#.#. #..#. ##### ...#. ...#.',
  '5': '##### #.... ####. ....# ....# #...# .###.',
  '6': '.###. #.... #.... ####. #...# #...# .###.',
  '7': '##### ....# ...#. ..#.. ..#.. ..#.. ..#..',
  '8': '.###. #...# #...# .###. #...# #...# .###.',
  '9': '.###. #...# #...# .#### ....# ....# .###.',
  '.': '..... ..... ..... ..... ..... .##.. .##..',
  '-': '..... ..... ..... .###. ..... ..... .....',
  '+': '..... ..#.. ..#.. ##### ..#.. ..#.. .....',
  L: '#.... #.... #.... #.... #.... #.... #####',
  S: '.#### #.... #.... .###. ....# ....# ####.',
  e: '..... ..... .###. #...# ##### #.... .###.',
  o: '..... ..... .###. #...# #...# #...# .###.',
  p: '..... ..... ####. #...# ####. #.... #....',
  s: '..... ..... .#### #.... .###. ....# ####.',
  t: '.#... .#... ####. .#... .#... .#..# ..##.',
};

/** Dots from one letter to the next. */
export const LETTER_WIDTH = 6;
export const LETTER_HEIGHT = 7;

/** The dots of a text as x and y from its upper left corner. Letters that are not there stay empty. */
export function* textDots(text: string): Generator<[x: number, y: number]> {
  for (const [place, letter] of [...text].entries())
    for (const [y, row] of (DOTS[letter] ?? '').split(' ').entries())
      for (const [x, dot] of [...row].entries()) if (dot === '#') yield [place * LETTER_WIDTH + x, y];
}
