import { type Host, type MediaCodecs, MediaUnavailable } from '#core/host';

/** Throws `MediaUnavailable` where the platform has none. */
export function requireMediaCodecs({ mediaCodecs }: Pick<Host, 'mediaCodecs'>): MediaCodecs {
  if (!mediaCodecs)
    throw new MediaUnavailable('video and compressed sound cannot be read or written where this server runs');
  return mediaCodecs;
}
