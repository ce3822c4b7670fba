/** Requests to say texts aloud, and their events. */
import type { SpokenPart } from '#core/host';

/** A text to say. */
export interface SpeakTextRequest {
  model: string;
  text: string;
  /** A voice by its name, or by the part after its language and sex. Empty: the model's own choice. */
  voice: string;
  /** From 0.25 to 4. 1: as the voice does. */
  speed: number;
}

/** An event of speaking. `done` is the last one. */
export type SpokenEvent = ({ type: 'speech' } & SpokenPart) | { type: 'done' };
