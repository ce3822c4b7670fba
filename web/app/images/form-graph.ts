import { editGraph, graphText, type ImageSettings } from '#core/api-client';
import type { ImageClient } from './image-client.ts';
import { type StartImage, startFiles } from './start-image.ts';

export interface FormGraph {
  settings: ImageSettings;
  /** Number of images. */
  count: number;
  start: StartImage | undefined;
}

/** The graph of the form, as JSON text. The image that it begins with is uploaded first. */
export async function formGraph(
  { settings, count, start }: FormGraph,
  client: Pick<ImageClient, 'uploadTemporary'>,
  signal: AbortSignal,
): Promise<string> {
  const { width, height } = settings;
  if (!start) {
    return graphText(settings, (graph) => {
      graph[4]!.inputs.batch_size = count;
      return graph;
    });
  }
  const files = await startFiles(start, { width, height });
  const image = await client.uploadTemporary(files.image, signal);
  const mask = files.mask && (await client.uploadTemporary(files.mask, signal));
  const { strength } = start;
  return graphText(settings, (graph) =>
    editGraph(graph, { image, ...(mask && { mask }), size: { width, height }, strength, count }),
  );
}

/**
 * The graph that enlarges an image, as JSON text.
 * @param model of `models/upscale_models`
 * @param image the name that LoadImage takes
 */
export function upscaleGraph(model: string, image: string): string {
  return JSON.stringify({
    1: { class_type: 'UpscaleModelLoader', inputs: { model_name: model } },
    2: { class_type: 'LoadImage', inputs: { image } },
    3: { class_type: 'ImageUpscaleWithModel', inputs: { upscale_model: ['1', 0], image: ['2', 0] } },
    4: { class_type: 'SaveImage', inputs: { images: ['3', 0], filename_prefix: 'tabd' } },
  });
}
