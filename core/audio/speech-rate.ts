/** A sample rate at which Opus decodes, too. */
export type SpeechRate = 8000 | 12000 | 16000 | 24000 | 48000;
