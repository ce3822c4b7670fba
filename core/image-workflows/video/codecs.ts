import { type Host, type MediaCodecs, MediaUnavailable } from '#core/host';

/** The media codecs of the platform. Throws `MediaUnavailable` when it has none. */
export function requireMediaCodecs({ mediaCodecs }: Pick<Host, 'mediaCodecs'>): MediaCodecs {
  if (!mediaCodecs)
    throw new MediaUnavailable('video and compressed audio cannot be read or written where this server runs');
  return mediaCodecs;
}
