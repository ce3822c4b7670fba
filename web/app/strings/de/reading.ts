import type { readingStrings as English } from '../reading.ts';

export const readingStrings: typeof English = {
  read: 'Vorlesen',
  stop: 'Nicht mehr vorlesen',
  failed: (reason) => `Die Antwort ließ sich nicht vorlesen: ${reason}`,
};
