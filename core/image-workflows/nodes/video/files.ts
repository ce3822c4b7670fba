/** Moving pictures from the folders of files, and to them. */

import { mediaType } from '../../files/media-types.ts';
import type { ImageReference, WorkflowFiles } from '../../files/workflow-files.ts';
import { imageRaster } from '../../images/rasters.ts';
import type { Video } from '../../values/media.ts';
import { requireMediaCodecs } from '../../video/codecs.ts';
import { encodeVideo } from '../../video/encode-video.ts';
import { videoFromFile } from '../../video/video-file.ts';
import { choice, float, link, string } from '../kernel/inputs.ts';
import { fileChecks, requireFilePath } from '../kernel/named-file.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { saveFiles } from '../kernel/save-files.ts';

const shared = { category: 'image/video', module: 'comfy_extras.nodes_video', modern: true } as const;
const hidden = { prompt: 'PROMPT', extra_pnginfo: 'EXTRA_PNGINFO' } as const;

/** The files that stand directly in the folder. */
const inputVideos = async (files: WorkflowFiles) =>
  (await files.names('input')).filter((name) => mediaType(name).startsWith('video/'));

/** By the name in a graph; it is read when something of it is needed. Throws with the name. */
export async function loadVideoFile(name: string, { files, host }: NodeContext): Promise<Video> {
  const path = await requireFilePath('video', name, { files });
  return videoFromFile(() => requireMediaCodecs(host), { name, read: () => files.read(path) });
}

const loadVideo = node({
  ...shared,
  name: 'LoadVideo',
  displayName: 'Load Video',
  description: 'Moving pictures of the input folder.',
  ...fileChecks('video', 'file'),
  inputs: { file: choice(inputVideos, { video_upload: true }) },
  outputs: [output('VIDEO')],
  run: async ({ file }, context) => [await loadVideoFile(file, context)],
});

/** Shown as pictures that move. */
const shown = (images: ImageReference[]) => ({ ui: { images, animated: [true] } });

const saveVideo = node({
  ...shared,
  name: 'SaveVideo',
  displayName: 'Save Video',
  description: 'Saves moving pictures with their sound in the output folder, with the graph that made them.',
  isOutput: true,
  inputs: {
    video: link('VIDEO', {}),
    filename_prefix: string({ default: 'video/ComfyUI', multiline: false }),
    format: choice(['auto', 'mp4'], { default: 'auto', multiselect: false }),
    codec: choice(['auto', 'h264'], { default: 'auto', multiselect: false }),
  },
  hidden,
  outputs: [],
  async run({ video, filename_prefix, format, codec }, context) {
    const { files, host, signal } = context;
    if (format !== 'auto' && format !== 'mp4') throw new Error(`the format is auto or mp4, not ${format}`);
    if (codec !== 'auto' && codec !== 'h264') throw new Error(`the codec is auto or h264, not ${codec}`);
    const target = await files.target(filename_prefix, 'output', await video.size(signal));
    const codecs = codec === 'h264' ? (['h264'] as const) : (['h264', 'vp9', 'av1'] as const);
    const images = await saveFiles(1, [target, 'output', 'mp4'], context, async (_, texts) => {
      const kept = await video.asMp4?.(codec, texts, signal);
      if (kept) return kept;
      const form = { container: 'mp4', codecs, metadata: texts } as const;
      return encodeVideo(requireMediaCodecs(host), await video.parts(signal), form, signal);
    });
    return shown(images);
  },
});

const saveWebm = node({
  ...shared,
  name: 'SaveWEBM',
  description: 'Saves pictures as moving ones in the output folder, with the graph that made them.',
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
      tooltip: 'How coarse: higher makes smaller files that look worse.',
    }),
  },
  hidden,
  outputs: [],
  async run({ images, filename_prefix, codec, fps, crf }, context) {
    const { files, host, signal } = context;
    if (codec !== 'vp9' && codec !== 'av1') throw new Error(`the codec is vp9 or av1, not ${codec}`);
    const target = await files.target(filename_prefix, 'output', imageRaster(images));
    const saved = await saveFiles(1, [target, 'output', 'webm'], context, (_, texts) => {
      const form = { container: 'webm', codecs: [codec], quantizer: crf, metadata: texts } as const;
      return encodeVideo(requireMediaCodecs(host), { images, fps }, form, signal);
    });
    return shown(saved);
  },
});

export const videoFileNodes: AnyNode[] = [loadVideo, saveVideo, saveWebm];
