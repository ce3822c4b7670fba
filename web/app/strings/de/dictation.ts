import type { dictationStrings as English } from '../dictation.ts';

export const dictationStrings: typeof English = {
  dictate: 'Diktieren',
  stop: 'Diktat beenden',
  writing: 'Schreibt auf, was du gesagt hast…',
  nothingHeard: 'Es war keine Sprache zu hören.',
  noMicrophone: (reason) => `Das Mikrofon lässt sich nicht verwenden: ${reason}`,
  failed: (reason) => `Die Aufnahme ließ sich nicht aufschreiben: ${reason}`,
};
