import { localized } from './language.ts';

/** Texts of dictation in a chat. */
export const dictationStrings = localized('dictationStrings', {
  dictate: 'Dictate',
  stop: 'Stop dictating',
  writing: 'Writing down what you said…',
  nothingHeard: 'No speech was heard.',
  noMicrophone: (reason: string) => `The microphone cannot be used: ${reason}`,
  failed: (reason: string) => `The recording could not be written down: ${reason}`,
});
