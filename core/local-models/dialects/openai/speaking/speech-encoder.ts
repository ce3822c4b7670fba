/** The audio formats of /v1/audio/speech. */
import { pcm16, wavHead } from '#core/audio';
import { concatBytes, concatFloats } from '#core/base';
import { type MediaCodecs, MediaUnavailable, type SpokenPart } from '#core/host';
import { FieldError } from '../../../base/field-error.ts';

/** In the order in which errors name them. */
export const SPEECH_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
export type SpeechFormat = (typeof SPEECH_FORMATS)[number];

/** Formats that are written here, on every platform. */
const OWN_FORMATS = ['wav', 'flac', 'opus', 'pcm'];

export const SPEECH_TYPES: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

/** Bits a second of one voice. */
const BITRATES = { mp3: 96_000, aac: 64_000, opus: 48_000 };

/** Makes the bytes of a file from parts of speech, in order. Empty bytes: they follow with a later part. */
export type SpeechEncoder = (part: SpokenPart, signal: AbortSignal) => Promise<Uint8Array>;

/** Creates the encoder of one file. Its errors are `MediaUnavailable`, or the signal's reason. */
export function speechEncoder(format: SpeechFormat, media: MediaCodecs | undefined): SpeechEncoder {
  switch (format) {
    case 'pcm':
      return async ({ samples }) => pcm16(samples);
    case 'wav':
      return wavEncoder();
    case 'mp3':
      return ({ samples, sampleRate }, signal) =>
        requireCodecs(media).encodeMp3(
          { sampleRate, channels: [samples] },
          { bitrate: BITRATES.mp3, metadata: {}, isPart: true },
          signal,
        );
    case 'aac':
      return ({ samples, sampleRate }, signal) =>
        requireCodecs(media).encodeAac({ sampleRate, channels: [samples] }, BITRATES.aac, signal);
    case 'flac':
      return wholeFile(async (samples, sampleRate, signal) => {
        const { encodeFlac } = await import('#core/audio/lazy.ts');
        return encodeFlac([samples], sampleRate, {}, signal);
      });
    case 'opus':
      return wholeFile(async (samples, sampleRate, signal) => {
        const { encodeOpus } = await import('#core/audio/lazy.ts');
        return encodeOpus([samples], sampleRate, { bitrate: BITRATES.opus, texts: {} }, signal);
      });
  }
}

/** A text of one part has its length in the head. The head of a stream leaves it open. */
function wavEncoder(): SpeechEncoder {
  let isStarted = false;
  return async ({ samples, sampleRate, isLast }) => {
    const bytes = pcm16(samples);
    if (isStarted) return bytes;
    isStarted = true;
    return concatBytes([wavHead(sampleRate, isLast ? samples.length : undefined), bytes]);
  };
}

/** A format whose files cannot be joined: all parts are one file. */
function wholeFile(
  encode: (samples: Float32Array, sampleRate: number, signal: AbortSignal) => Promise<Uint8Array>,
): SpeechEncoder {
  const parts: Float32Array[] = [];
  return async ({ samples, sampleRate, isLast }, signal) => {
    parts.push(samples);
    if (!isLast) return new Uint8Array();
    return encode(concatFloats(parts), sampleRate, signal);
  };
}

function requireCodecs(media: MediaCodecs | undefined): MediaCodecs {
  if (media) return media;
  throw new MediaUnavailable('compressed audio cannot be written where this server runs');
}

/** A tenth of a second of silence. */
const SILENCE: SpokenPart = { samples: new Float32Array(2400), sampleRate: 24_000, tokens: 0, isLast: true };

/** The formats that each platform has written. One that lacks a program is tried again, because it may get one. */
const written = new WeakMap<MediaCodecs, Set<SpeechFormat>>();

/**
 * The format of a response. Without a request for one it is MP3 where this platform writes it, otherwise WAV. Formats that
 * depend on the platform write some silence the first time, so that their lack is known before any work.
 * Rejects with FieldError 400 for a format that this platform cannot write, or with the signal's reason.
 */
export async function chooseFormat(
  requested: SpeechFormat | undefined,
  media: MediaCodecs | undefined,
  signal: AbortSignal,
): Promise<SpeechFormat> {
  const format = requested ?? 'mp3';
  if (OWN_FORMATS.includes(format) || (media && written.get(media)?.has(format))) return format;
  try {
    await speechEncoder(format, media)(SILENCE, signal);
    if (media) written.set(media, (written.get(media) ?? new Set()).add(format));
    return format;
  } catch (error) {
    if (!(error instanceof MediaUnavailable)) throw error;
    if (requested === undefined) return 'wav';
    throw new FieldError(
      400,
      `The response_format '${format}' cannot be written here: ${error.message}. These always can: ${OWN_FORMATS.map((each) => `'${each}'`).join(', ')}.`,
      'response_format',
      'unsupported_value',
      { cause: error },
    );
  }
}
