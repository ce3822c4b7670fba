/** Code that other rooms load when they first need it. */
export { AudioUnreadable } from './audio-unreadable.ts';
export { decodeSpeech, SPEECH_RATE } from './decode-speech.ts';
export { pcm16, wavHead } from './encode-wav.ts';
export { encodeFlac } from './flac/encode.ts';
export { encodeOpus } from './opus/encode.ts';
