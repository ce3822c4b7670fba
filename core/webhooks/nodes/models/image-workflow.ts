import type { Binary, Item } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { flag, jsonText } from '../shared/parameters.ts';
import { newSeeds, putText, readGraph, takesText } from './image-workflow/graph.ts';
import { type GraphResult, readImage, runGraph } from './image-workflow/run-graph.ts';
import { textOf, textParameter } from './text-parameter.ts';

export const imageWorkflow: NodeType = {
  name: 'tabd.imageWorkflow',
  label: 'Run Image Workflow',
  description: 'Lets this server make a picture by a graph of nodes.',
  group: 'model',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    jsonText('graph', 'Graph (API format)', {
      required: true,
      rows: 12,
      description:
        'An image workflow, exported in API format. The text takes the place of %text% in it, or else becomes the positive prompt.',
    }),
    textParameter,
    flag('newSeed', 'New Seed for Every Run', {
      default: true,
      description: 'Off: the seeds in the graph count, and the same text gives the same picture.',
    }),
  ],
  execute: (context) =>
    perItem(context, async (item, index) => {
      const graph = readGraph(await context.parameter('graph', index));
      if (takesText(graph)) putText(graph, await textOf(context, item, index));
      if ((await context.parameter('newSeed', index)) === true) newSeeds(graph);
      return itemOf(context, await runGraph(context, graph));
    }),
};

/** The first picture is `data`, where other nodes look for a file; more follow as `data1`, `data2` … */
async function itemOf(context: NodeContext, { promptId, images, text }: GraphResult): Promise<Item> {
  const binary: Record<string, Binary> = {};
  for (const [at, image] of images.entries()) {
    const response = await readImage(context, image);
    const mimeType = response.headers.get('content-type')?.split(';')[0];
    binary[at === 0 ? 'data' : `data${at}`] = await context.binary.prepare(
      new Uint8Array(await response.arrayBuffer()),
      { fileName: image.filename, ...(mimeType && { mimeType }) },
    );
  }
  return {
    json: { promptId, images, ...(text.length > 0 && { text: text.join('\n') }) },
    ...(images.length > 0 && { binary }),
  };
}
