import type { missingStrings as English } from '../missing-models.ts';

export const missingStrings: typeof English = {
  heading: 'Dieser Graph braucht Modelle, die nicht installiert sind:',
  get: 'Holen',
  getOf: (name) => `${name} holen`,
  about: (size) => `etwa ${size}`,
  noLicence: 'der Hub nennt die Lizenz',
  unknown: 'Keine Quelle bekannt. Zieh die Datei auf diese Seite, wenn du sie hast.',
  amount: (completed, total) => `${completed} von ${total}`,
};
