/** Requests to models that speak, and their events. */

/** A text to say aloud. */
export interface SpeakRequest {
  text: string;
  /** One of the model's voices. */
  voice: string;
  /** How fast: 1 as the voice does, 2 twice as fast. */
  speed: number;
}

/** The speech of one sentence, or of a part of a long one. */
export interface SpokenPart {
  /** Samples of one channel, from -1 to 1. */
  samples: Float32Array;
  /** Samples a second. */
  sampleRate: number;
  /** Tokens of the text that the model read. */
  tokens: number;
  /** Whether the text ends here. */
  isLast: boolean;
}
