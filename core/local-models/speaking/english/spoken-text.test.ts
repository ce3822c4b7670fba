import { expect, it } from 'vitest';
import { spokenText } from './spoken-text.ts';

it.each([
  ['Hello, world!', 'Hello, world!'],
  // Money, measures and other numbers.
  ['It costs $1,234.56.', 'It costs one thousand two hundred thirty four dollars and fifty six cents.'],
  ['$1.01, $0.05, £3 million', 'one dollar and one cent, five cents, three million pounds.'],
  ['€3.5B', 'three point five billion euros.'],
  ['5 km, 1 kg and 20%', 'five kilometers, one kilogram and twenty percent.'],
  ['21 °C at 100 km/h', 'twenty one degrees Celsius at one hundred kilometers per hour.'],
  ['3.14, -5, 5–10', 'three point one four, minus five, five to ten.'],
  ['50,000 and 1,000,000', 'fifty thousand and one million.'],
  ['1/2, 3/4, 2½, 7/30', 'one half, three quarters, two and one half, seven over thirty.'],
  ['21st, 3rd, 100th', 'twenty first, third, one hundredth.'],
  ['version 1.2.3', 'version one point two point three.'],
  ['007', 'zero zero seven.'],
  ['call 555-1234', 'call five five five, one two three four.'],
  ['1'.repeat(25), `${'one '.repeat(25).trim()}.`],
  ['2 + 2 = 4', 'two plus two equals four.'],
  // Dates and times.
  ['On 2024-01-05', 'On January fifth, twenty twenty four.'],
  ['Jan. 5, 2024 at 3:30 p.m.', 'January fifth, twenty twenty four at three thirty PM.'],
  ['5 January 2024', 'the fifth of January twenty twenty four.'],
  [
    '1/5/2024 and 25/12/2024',
    'January fifth, twenty twenty four and December twenty fifth, twenty twenty four.',
  ],
  ['2024-13-45 is no date', 'twenty twenty four to thirteen to forty five is no date.'],
  ['In 1984, 2005, 1900', 'In nineteen eighty four, two thousand five, nineteen hundred.'],
  ["the 1990s and the '80s", 'the nineteen nineties and the eighties.'],
  ['15:05, 3:00', "fifteen oh five, three o'clock."],
  ['3 p.m. Then', 'three PM. Then.'],
  // Abbreviations, addresses and signs.
  ['Dr. Smith, Mr. and Mrs. X', 'Doctor Smith, Mister and Missus X.'],
  ['e.g. this, i.e. that, etc. The end', 'for example this, that is that, et cetera. The end.'],
  ['the U.S. is big', 'the US is big.'],
  ['St. Louis, No. 5', 'Saint Louis, number five.'],
  ['See https://example.com/a.', 'See example dot com slash a.'],
  ['me@x.org', 'me at x dot org.'],
  ['R&D, C#, mp3, JavaScript', 'R and D, C sharp, mp three, Java Script.'],
  ['naïve café Straße ’tis', "naive cafe Strasse 'tis."],
  ['Emoji 😀 and 你好', 'Emoji and.'],
  // Paragraphs and lists.
  ['# Title\n\n- one\n- Two\nand more', 'Title.\none.\nTwo and more.'],
  ['a — b...', 'a — b…'],
  ['... ---', ''],
  ['', ''],
])('%j is %j', (text, spoken) => {
  expect(spokenText(text)).toBe(spoken);
});
