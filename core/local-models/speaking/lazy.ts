/** Code that is loaded when something is first said. */
export { KokoroLoader } from './kokoro/load-kokoro.ts';
export { speakText } from './speak-text.ts';
