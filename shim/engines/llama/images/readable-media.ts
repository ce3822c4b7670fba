import { isAudioFile } from '#core/audio';
import { errorMessage } from '#core/base';
import { RequestRefused } from '#core/host';
import { decodeImage, encodePng, ImageUnreadable } from '#core/image-codecs';
import { nodeCodecs } from '../../../host/image-codecs.ts';

const dataUrl = (type: string, { buffer, byteOffset, byteLength }: Uint8Array) =>
  `data:${type};base64,${Buffer.from(buffer, byteOffset, byteLength).toString('base64')}`;

/**
 * A file of a request as a data URL that llama.cpp reads: an image, or a WAV file, which the core made of other audio.
 * @param index the position among the request's files, for the error message
 * @param takes what the projector takes
 * @throws RequestRefused for a file that cannot be read, or that the projector does not take
 */
export async function toReadableMedia(
  file: Uint8Array,
  index: number,
  takes: { vision: boolean; audio: boolean },
): Promise<string> {
  const isAudio = isAudioFile(file);
  if (isAudio && !takes.audio) throw new RequestRefused('the projector of this model takes no audio');
  if (!isAudio && !takes.vision) throw new RequestRefused('the projector of this model takes no images');
  return isAudio ? dataUrl('audio/wav', file) : toReadableImage(file, index);
}

/**
 * The image as a data URL of a PNG file. An animation gives its first frame. llama.cpp never sees the client's file. Its
 * readers are less strict, and it starts `ffprobe` for files of unknown types.
 */
async function toReadableImage(file: Uint8Array, index: number): Promise<string> {
  try {
    const { frames } = await decodeImage(file, nodeCodecs);
    const png = encodePng(frames[0]!, { level: 1 });
    return dataUrl('image/png', png);
  } catch (error) {
    if (!(error instanceof ImageUnreadable)) throw error;
    throw new RequestRefused(`image ${index + 1} cannot be read: ${errorMessage(error)}`);
  }
}
