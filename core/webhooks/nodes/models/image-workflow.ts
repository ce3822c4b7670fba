import {
  fetchImage,
  type GraphResult,
  insertText,
  readImageGraph,
  renewSeeds,
  runGraph,
  takesText,
} from '#core/api-client';
import type { Binary, Item } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { flag, jsonText } from '../shared/parameters.ts';
import { asNodeError } from './request-models.ts';
import { requireText, textParameter } from './text-parameter.ts';

export const imageWorkflow: NodeType = {
  name: 'tabd.imageWorkflow',
  label: 'Run Image Workflow',
  description: 'Runs an image workflow of this server and outputs its images.',
  group: 'model',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    jsonText('graph', 'Graph (API format)', {
      required: true,
      rows: 12,
      description:
        'An image workflow, exported in API format. The text replaces %text% in it, or else becomes the positive prompt.',
    }),
    textParameter,
    flag('newSeed', 'New Seed for Every Run', {
      default: true,
      description: 'If off, the graph’s own seeds are used, and the same text makes the same image.',
    }),
  ],
  execute: (context) =>
    perItem(context, (item, index) =>
      asNodeError(async () => {
        const graph = readImageGraph(await context.parameter('graph', index));
        if (takesText(graph)) insertText(graph, await requireText(context, item, index));
        if ((await context.parameter('newSeed', index)) === true) renewSeeds(graph);
        return toItem(context, await runGraph(context, graph));
      }),
    ),
};

/** The first image is the file `data`, which other nodes read by default. More images are `data1`, `data2` … */
async function toItem(context: NodeContext, { promptId, images, text }: GraphResult): Promise<Item> {
  const binary: Record<string, Binary> = {};
  for (const [position, image] of images.entries()) {
    const response = await fetchImage(context, image);
    const mimeType = response.headers.get('content-type')?.split(';')[0];
    const bytes = new Uint8Array(await response.arrayBuffer());
    binary[position === 0 ? 'data' : `data${position}`] = await context.binary.prepare(bytes, {
      fileName: image.filename,
      ...(mimeType && { mimeType }),
    });
  }
  return {
    json: { promptId, images, ...(text.length > 0 && { text: text.join('\n') }) },
    ...(images.length > 0 && { binary }),
  };
}
