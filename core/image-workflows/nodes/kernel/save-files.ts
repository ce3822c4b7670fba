import type { ImageReference, SaveTarget } from '../../files/workflow-files.ts';
import type { NodeContext } from './node-context.ts';

/** The texts that files carry: the graph, then whatever the client sent along. Empty when files carry none. */
export const metadataTexts = ({ promptJson, extraTexts }: NodeContext): Record<string, string> => ({
  ...(promptJson !== undefined && { prompt: promptJson }),
  ...(promptJson !== undefined && extraTexts),
});

/** Writes `count` files in turn, each as `encode` makes it with the texts that it carries; an interrupt point before each. */
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
