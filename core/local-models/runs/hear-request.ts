/** Requests to write speech down, and their events. */
import type { HearEvent } from '#core/host';

/** An audio file whose speech is to be written down. */
export interface HearSpeechRequest {
  model: string;
  /** An audio file, or a video. */
  audio: Uint8Array;
  task: 'transcribe' | 'translate';
  /** The code or the English name of the spoken language. */
  language?: string;
  prompt?: string;
  /** From 0 to 1. */
  temperature?: number;
  /** Whether segments have the times of their words. */
  words: boolean;
}

/** An event of a hearing. `done` is the last one, with the seconds of audio. */
export type HeardEvent = HearEvent | { type: 'done'; duration: number };
