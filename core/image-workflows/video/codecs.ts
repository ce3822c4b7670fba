import type { Host } from '../../host/host.ts';
import { type MediaCodecs, MediaUnavailable } from '../../host/media-codecs.ts';

/** Throws `MediaUnavailable` where the platform has none. */
export function mediaCodecs({ mediaCodecs }: Pick<Host, 'mediaCodecs'>): MediaCodecs {
  if (!mediaCodecs)
    throw new MediaUnavailable('video and compressed sound cannot be read or written where this server runs');
  return mediaCodecs;
}
