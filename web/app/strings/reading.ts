import { localized } from './language.ts';

/** Texts of reading answers aloud. */
export const readingStrings = localized('readingStrings', {
  read: 'Read aloud',
  stop: 'Stop reading',
  failed: (reason: string) => `The answer could not be read aloud: ${reason}`,
});
