/** Code that is loaded when something is first heard. */
export { hearSpeech } from './hear-speech.ts';
export { WhisperLoader } from './whisper/load-whisper.ts';
