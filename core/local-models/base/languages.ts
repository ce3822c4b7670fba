import languages from './languages.json' with { type: 'json' };

const NAMES: Readonly<Record<string, string>> = languages;
const CODES = new Map(Object.entries(NAMES).map(([code, name]) => [name, code]));

/** The English name of a language in lower case, as OpenAI's API returns it. An unknown code stays a code. */
export const languageName = (code: string): string => NAMES[code] ?? code;

/** The code of a language by its code or English name, in any case, with or without a region: `en-US`. */
export function languageCode(text: string): string | undefined {
  const lower = text.trim().toLowerCase();
  const [primary = ''] = lower.split(/[-_]/);
  if (Object.hasOwn(NAMES, primary)) return primary;
  return CODES.get(lower);
}
