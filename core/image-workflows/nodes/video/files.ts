/** Nodes that load videos from the input folder and save them. */

import { mediaType } from '../../files/media-types.ts';
import type { ImageReference, WorkflowFiles } from '../../files/workflow-files.ts';
import { imageRaster } from '../../images/rasters.ts';
import type { Video } from '../../values/media.ts';
import { requireMediaCodecs } from '../../video/codecs.ts';
import { encodeVideoFile } from '../../video/encode-video.ts';
import { videoFromFile } from '../../video/video-file.ts';
import { METADATA_INPUTS } from '../kernel/common-inputs.ts';
import { choice, float, link, string } from '../kernel/inputs.ts';
import { fileChecks, requireFilePath } from '../kernel/named-file.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { saveFiles } from '../kernel/save-files.ts';

const shared = { category: 'image/video', module: 'comfy_extras.nodes_video', modern: true } as const;
/** Videos directly in the input folder. Those in subfolders are valid, too, but not listed. */
const inputVideos = async (files: WorkflowFiles) =>
  (await files.names('input')).filter((name) => mediaType(name).startsWith('video/'));

/** A video file that a graph names, read when a node needs it. Rejects when there is no such file. */
export async function loadVideoFile(name: string, { files, host }: NodeContext): Promise<Video> {
  const path = await requireFilePath('video', name, { files });
  return videoFromFile(() => requireMediaCodecs(host), { name, read: () => files.read(path) });
}

const loadVideo = node({
  ...shared,
  name: 'LoadVideo',
  displayName: 'Load Video',
  description: 'Loads a video of the input folder.',
  ...fileChecks('video', 'file'),
  inputs: { file: choice(inputVideos, { video_upload: true }) },
  outputs: [output('VIDEO')],
  run: async ({ file }, context) => [await loadVideoFile(file, context)],
});

/** Results that clients show as animations. */
const videoResults = (images: ImageReference[]) => ({ ui: { images, animated: [true] } });

const saveVideo = node({
  ...shared,
  name: 'SaveVideo',
  displayName: 'Save Video',
  description: 'Saves a video with its audio in the output folder, with the graph in its metadata.',
  isOutput: true,
  inputs: {
    video: link('VIDEO', {}),
    filename_prefix: string({ default: 'video/ComfyUI', multiline: false }),
    format: choice(['auto', 'mp4'], { default: 'auto', multiselect: false }),
    codec: choice(['auto', 'h264'], { default: 'auto', multiselect: false }),
  },
  hidden: METADATA_INPUTS,
  outputs: [],
  async run({ video, filename_prefix, format, codec }, context) {
    const { files, host, signal } = context;
    if (format !== 'auto' && format !== 'mp4') throw new Error(`the format is auto or mp4, not ${format}`);
    if (codec !== 'auto' && codec !== 'h264') throw new Error(`the codec is auto or h264, not ${codec}`);
    const target = await files.target(filename_prefix, 'output', await video.size(signal));
    const codecs = codec === 'h264' ? (['h264'] as const) : (['h264', 'vp9', 'av1'] as const);
    const images = await saveFiles(1, [target, 'output', 'mp4'], context, async (_, texts) => {
      const unchanged = await video.asMp4?.(codec, texts, signal);
      if (unchanged) return unchanged;
      const videoFormat = { container: 'mp4', codecs, metadata: texts } as const;
      return encodeVideoFile(requireMediaCodecs(host), await video.parts(signal), videoFormat, signal);
    });
    return videoResults(images);
  },
});

const saveWebm = node({
  ...shared,
  name: 'SaveWEBM',
  description: 'Saves images as a WebM video in the output folder, with the graph in its metadata.',
  experimental: true,
  isOutput: true,
  inputs: {
    images: link('IMAGE', {}),
    filename_prefix: string({ default: 'ComfyUI', multiline: false }),
    codec: choice(['vp9', 'av1'], { multiselect: false }),
    fps: float({ default: 24.0, min: 0.01, max: 1000.0, step: 0.01 }),
    crf: float({
      default: 32.0,
      min: 0,
      max: 63.0,
      step: 1,
      tooltip: 'Coarseness: higher numbers make smaller files of lower quality.',
    }),
  },
  hidden: METADATA_INPUTS,
  outputs: [],
  async run({ images, filename_prefix, codec, fps, crf }, context) {
    const { files, host, signal } = context;
    if (codec !== 'vp9' && codec !== 'av1') throw new Error(`the codec is vp9 or av1, not ${codec}`);
    const target = await files.target(filename_prefix, 'output', imageRaster(images));
    const saved = await saveFiles(1, [target, 'output', 'webm'], context, (_, texts) => {
      const format = { container: 'webm', codecs: [codec], quantizer: crf, metadata: texts } as const;
      return encodeVideoFile(requireMediaCodecs(host), { images, fps }, format, signal);
    });
    return videoResults(saved);
  },
});

export const videoFileNodes: AnyNode[] = [loadVideo, saveVideo, saveWebm];
