/** Transcripts in the formats of OpenAI's API. */
import type { HeardSegment } from '#core/host';
import { languageName } from '../../../base/languages.ts';

export interface Transcript {
  task: 'transcribe' | 'translate';
  /** The code of the spoken language. */
  language: string;
  /** Seconds of audio. */
  duration: number;
  segments: readonly HeardSegment[];
}

/** The text of all segments. */
export const transcriptText = (segments: readonly Pick<HeardSegment, 'text'>[]): string =>
  segments
    .map(({ text }) => text)
    .join('')
    .trim();

const usage = (duration: number) => ({ type: 'duration', seconds: Math.ceil(duration) });

/** The format `json`. */
export const plainTranscript = ({ segments, duration }: Transcript) => ({
  text: transcriptText(segments),
  usage: usage(duration),
});

/** The format `verbose_json`. */
export function verboseTranscript(
  { task, language, duration, segments }: Transcript,
  { words, segments: withSegments }: { words: boolean; segments: boolean },
): object {
  return {
    task,
    language: languageName(task === 'translate' ? 'en' : language),
    duration: milliseconds(duration),
    text: transcriptText(segments),
    ...(withSegments && { segments: segments.map(segmentObject) }),
    ...(words && { words: segments.flatMap(wordObjects) }),
    usage: usage(duration),
  };
}

const segmentObject = (segment: HeardSegment, id: number) => ({
  id,
  seek: segment.seek,
  start: milliseconds(segment.start),
  end: milliseconds(segment.end),
  text: segment.text,
  tokens: segment.tokens,
  temperature: segment.temperature,
  avg_logprob: segment.averageLogprob,
  compression_ratio: segment.compressionRatio,
  no_speech_prob: segment.noSpeechProbability,
});

const wordObjects = ({ words = [] }: HeardSegment) =>
  words
    .map(({ text, start, end }) => ({
      word: text.trim(),
      start: milliseconds(start),
      end: milliseconds(end),
    }))
    .filter(({ word }) => word !== '');

const milliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** SubRip: numbered segments. */
export const subRip = (segments: readonly HeardSegment[]): string =>
  segments.map((segment, index) => `${index + 1}\n${cue(segment, ',')}`).join('');

/** WebVTT (W3C). */
export const webVtt = (segments: readonly HeardSegment[]): string =>
  `WEBVTT\n\n${segments.map((segment) => cue(segment, '.')).join('')}`;

/** A blank line ends a cue, and an arrow is that of its times: texts contain neither. */
const cue = ({ start, end, text }: HeardSegment, point: string): string =>
  `${clock(start, point)} --> ${clock(end, point)}\n${text.trim().replace(/\n+/g, '\n').replaceAll('-->', '->')}\n\n`;

function clock(seconds: number, point: string): string {
  const total = Math.round(seconds * 1000);
  const part = (unit: number, size: number, digits: number) =>
    String(Math.floor(total / unit) % size).padStart(digits, '0');
  const hours = String(Math.floor(total / 3_600_000)).padStart(2, '0');
  return `${hours}:${part(60_000, 60, 2)}:${part(1000, 60, 2)}${point}${part(1, 1000, 3)}`;
}
