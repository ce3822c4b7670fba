import { expect, test } from 'vitest';
import type { HeardSegment } from '#core/host';
import { plainTranscript, subRip, type Transcript, verboseTranscript, webVtt } from './transcript.ts';

const segment = (
  start: number,
  end: number,
  text: string,
  more: Partial<HeardSegment> = {},
): HeardSegment => ({
  seek: 0,
  start,
  end,
  text,
  tokens: [1, 2],
  temperature: 0,
  averageLogprob: -0.25,
  compressionRatio: 1.5,
  noSpeechProbability: 0.01,
  ...more,
});
const segments = [
  segment(0, 1.5, ' Good morning.'),
  segment(3661.0004, 3662.9996, ' A --> B\n\nC ', {
    words: [
      { text: ' A', start: 3661.00049, end: 3661.2 },
      { text: ' ', start: 3661.2, end: 3661.3 },
    ],
  }),
];
const transcript: Transcript = { task: 'transcribe', language: 'de', duration: 12.3456, segments };

test('SubRip numbers its segments, and no text breaks it', () => {
  expect(subRip(segments)).toBe(
    '1\n00:00:00,000 --> 00:00:01,500\nGood morning.\n\n2\n01:01:01,000 --> 01:01:03,000\nA -> B\nC\n\n',
  );
  expect(subRip([])).toBe('');
});

test('WebVTT begins with its name', () => {
  expect(webVtt(segments.slice(0, 1))).toBe('WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nGood morning.\n\n');
  expect(webVtt([])).toBe('WEBVTT\n\n');
});

test('plain JSON has the text and the started seconds', () => {
  expect(plainTranscript(transcript)).toEqual({
    text: 'Good morning. A --> B\n\nC',
    usage: { type: 'duration', seconds: 13 },
  });
});

test('verbose JSON has segments, words or both', () => {
  const both = verboseTranscript(transcript, { words: true, segments: true });
  expect(both).toMatchObject({
    task: 'transcribe',
    language: 'german',
    duration: 12.346,
    segments: [
      {
        id: 0,
        seek: 0,
        start: 0,
        end: 1.5,
        text: ' Good morning.',
        tokens: [1, 2],
        temperature: 0,
        avg_logprob: -0.25,
        compression_ratio: 1.5,
        no_speech_prob: 0.01,
      },
      { id: 1 },
    ],
    words: [{ word: 'A', start: 3661, end: 3661.2 }],
  });
  expect(verboseTranscript(transcript, { words: false, segments: true })).not.toHaveProperty('words');
  expect(verboseTranscript(transcript, { words: true, segments: false })).not.toHaveProperty('segments');
});

test('a translation is English', () => {
  const translated = verboseTranscript(
    { ...transcript, task: 'translate' },
    { words: false, segments: false },
  );
  expect(translated).toMatchObject({ task: 'translate', language: 'english' });
});
