import type { ImageReference, SaveTarget } from '../../files/workflow-files.ts';
import type { NodeContext } from './node-context.ts';

/**
 * The metadata texts of a saved file by name: `prompt` with the graph, then those that the client sent. Empty when the
 * server saves no metadata.
 */
export const metadataTexts = ({ promptJson, extraTexts }: NodeContext): Record<string, string> => ({
  ...(promptJson !== undefined && { prompt: promptJson }),
  ...(promptJson !== undefined && extraTexts),
});

/**
 * Writes `count` files in order. `encode` returns the bytes of each and receives the metadata texts. Rejects with the
 * signal's reason before the next file when the execution is cancelled.
 */
export async function saveFiles(
  count: number,
  [target, folder, extension]: [target: SaveTarget, folder: 'output' | 'temp', extension: string],
  context: NodeContext,
  encode: (index: number, texts: Record<string, string>) => Uint8Array | Promise<Uint8Array>,
): Promise<ImageReference[]> {
  const texts = metadataTexts(context);
  const saved: ImageReference[] = [];
  for (let index = 0; index < count; index++) {
    context.signal.throwIfAborted();
    saved.push(await context.files.save(target, folder, index, extension, await encode(index, texts)));
  }
  return saved;
}
