/** The language of the page, and the texts in it. */

/** The languages by their own names. English is part of the page; the others load when they are needed. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

const KEY = 'tabd.language';

const isLanguage = (name: string | null | undefined): name is Language =>
  name !== null && name !== undefined && Object.hasOwn(LANGUAGES, name);

/** The language that the user chose in the settings. Undefined: that of the browser. */
export function readLanguage(storage: Pick<Storage, 'getItem'> = localStorage): Language | undefined {
  const stored = storage.getItem(KEY);
  return isLanguage(stored) ? stored : undefined;
}

export function storeLanguage(
  language: Language | undefined,
  storage: Pick<Storage, 'setItem' | 'removeItem'> = localStorage,
): void {
  if (language === undefined) storage.removeItem(KEY);
  else storage.setItem(KEY, language);
}

/**
 * The language of a page.
 * @param search the query of its address, in which `lang=de` comes first
 * @param chosen the language of the settings
 * @param preferred the languages of the browser, best first
 */
export function pageLanguage(
  search: string,
  chosen: Language | undefined,
  preferred: readonly string[],
): Language {
  const requested = new URLSearchParams(search).get('lang');
  if (isLanguage(requested)) return requested;
  return chosen ?? preferred.map((tag) => tag.toLowerCase().split('-')[0]).find(isLanguage) ?? 'en';
}

/** The browser's own variant of a language, such as `en-GB`, which decides how numbers and dates look. */
export function localeOf(language: Language, preferred: readonly string[]): string {
  return preferred.find((tag) => tag.toLowerCase().split('-')[0] === language) ?? language;
}

/** Modules of texts are also read where there is no page, as in tests. They are English there. */
const inPage = typeof document !== 'undefined';
const preferred = inPage ? navigator.languages : [];
const choice = inPage ? pageLanguage(location.search, readLanguage(), preferred) : 'en';
const translated = choice === 'en' ? undefined : await loadTexts(choice);

/** The language of all texts. */
export const language: Language = translated ? choice : 'en';
/** The language for numbers, dates and lists. */
export const locale = localeOf(language, preferred);

async function loadTexts(name: Language): Promise<Record<string, unknown> | undefined> {
  // One file for each folder here, which the build finds. They import only types of this folder.
  const languages = import.meta.glob<Record<string, unknown>>('./*/index.ts');
  try {
    return await languages[`./${name}/index.ts`]?.();
  } catch (error) {
    console.warn('tabd: the texts of the language could not be loaded, so the page is in English', error);
    return undefined;
  }
}

/** The form of an object of texts, without the words. */
export type Texts<T> = T extends string
  ? string
  : T extends number | boolean
    ? T
    : T extends (...args: infer A) => string
      ? (...args: A) => string
      : { readonly [K in keyof T]: Texts<T[K]> };

/**
 * The texts of the page's language.
 * @param name the name of the constant, which the modules of each language export, too
 */
export function localized<const T>(name: string, english: T): Texts<T> {
  return (translated?.[name] ?? english) as Texts<T>;
}
