import { localized } from './language.ts';

/** Texts for models that a graph names and that are not installed. */
export const missingStrings = localized('missingStrings', {
  heading: 'This graph needs models that are not installed:',
  get: 'Get it',
  getOf: (name: string) => `Get ${name}`,
  about: (size: string) => `about ${size}`,
  noLicence: 'the hub names its licence',
  unknown: 'No source is known. Drop the file on this page if you have it.',
  amount: (completed: string, total: string) => `${completed} of ${total}`,
});
