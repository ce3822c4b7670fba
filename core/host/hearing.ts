/** Requests to models that hear, and their events. */

/** Speech to write down. */
export interface HearRequest {
  /** Samples of one channel, 16,000 a second, from -1 to 1. */
  samples: Float32Array;
  /** `translate`: in English. */
  task: 'transcribe' | 'translate';
  /** The code of the spoken language, such as `en`. Undefined: the model finds it. */
  language?: string;
  /** A text before the speech, whose spelling and style the model continues. */
  prompt?: string;
  /** From 0 to 1. 0 or undefined: the most probable text, and higher temperatures where that repeats itself. */
  temperature?: number;
  /** Whether each segment has the times of its words. */
  words: boolean;
}

/** A word with its punctuation. */
export interface HeardWord {
  /** A space before the word is included, in languages that have it. */
  text: string;
  /** Seconds from the start of the audio. */
  start: number;
  end: number;
}

/** A phrase or sentence. */
export interface HeardSegment {
  /** The 10 ms step at which the 30 seconds around the segment begin. */
  seek: number;
  /** Seconds from the start of the audio. */
  start: number;
  end: number;
  text: string;
  /** Tokens of the text and its times. */
  tokens: number[];
  temperature: number;
  /** The mean of the natural logarithms of the tokens' probabilities. */
  averageLogprob: number;
  /** The bytes of the text, divided by those of its compressed form. High for text that repeats itself. */
  compressionRatio: number;
  /** The probability that nobody speaks. */
  noSpeechProbability: number;
  /** Present when words were requested. */
  words?: HeardWord[];
}

/** An event of hearing, in order. */
export type HearEvent =
  /** Sent once, first: the language that the model writes down or translates. */
  { type: 'language'; language: string } | { type: 'segment'; segment: HeardSegment };
