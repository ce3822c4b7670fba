/** A font of 5 x 7 dots with the characters that plots need. Drawing a plot needs no other font. */

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

/** Dots from the start of a letter to the next one. */
export const LETTER_WIDTH = 6;
export const LETTER_HEIGHT = 7;

/** The dots of a text as x and y from its top left corner. Unknown letters are blank. */
export function* textDots(text: string): Generator<[x: number, y: number]> {
  for (const [index, letter] of [...text].entries())
    for (const [y, row] of (DOTS[letter] ?? '').split(' ').entries())
      for (const [x, dot] of [...row].entries()) if (dot === '#') yield [index * LETTER_WIDTH + x, y];
}
