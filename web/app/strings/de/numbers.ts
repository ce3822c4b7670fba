/** Numbers and lists in German texts. */

export const decimal = (value: number, digits = 0): string =>
  value.toLocaleString('de', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** `1 Anfrage`, `2 Anfragen` */
export const count = (number: number, singular: string, plural: string): string =>
  `${decimal(number)} ${number === 1 ? singular : plural}`;

/** `1234` -> `1234`, `1200000` -> `1,2 Mio.` */
export const compact = (value: number): string =>
  new Intl.NumberFormat('de', { notation: 'compact' }).format(value);

export const listText = (names: readonly string[]): string => new Intl.ListFormat('de').format(names);
