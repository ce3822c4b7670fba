/** Videos from a prompt, and their files. */
import { isObject } from '#core/base';
import type { Item } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import { objectList } from '../../shared/object-list.ts';
import { fileItem } from '../actions/file-parts.ts';
import { itemOf, type ModelOperation, optionsOf } from '../actions/operation.ts';
import { modelName } from '../chat-models/openai.ts';
import { type ModelServer, readJson, requestModel } from '../wire/model-request.ts';
import { geminiServer } from './gemini-server.ts';
import { download } from './uploaded-files.ts';

/** Milliseconds between two looks at a video that is being made. */
const POLL_INTERVAL = 5000;

export const generateVideo: ModelOperation = async (context, index) => {
  const server = await geminiServer(context);
  const model = await modelName(context, index, 'modelId');
  if (!model.includes('veo')) {
    throw new NodeError(`Model ${model} is not supported for video generation. Please use a Veo model`, {
      description: 'Video generation is only supported by Veo models',
      itemIndex: index,
    });
  }
  const prompt = String((await context.parameter('prompt', index, '')) ?? '');
  const options = await optionsOf(context, index);
  const { aspectRatio, personGeneration, sampleCount = 1, durationSeconds = 8 } = options;
  const body = {
    instances: [{ prompt }],
    parameters: { aspectRatio, personGeneration, sampleCount, durationSeconds },
  };
  const path = `/v1beta/${model}:predictLongRunning`;
  let work = await requestModel(context, server, { path, body }, readJson);
  while (work.done !== true) {
    await context.sleep(POLL_INTERVAL);
    const path = `/v1beta/${String(work.name)}`;
    work = await requestModel(context, server, { path, method: 'GET' }, readJson);
  }
  if (isObject(work.error)) {
    const description = 'Error generating video';
    throw new NodeError(String(work.error.message ?? 'Unknown error'), { description, itemIndex: index });
  }
  const response = isObject(work.response) ? work.response.generateVideoResponse : undefined;
  const samples = objectList(isObject(response) ? response.generatedSamples : undefined);
  const addresses = samples.map(({ video }) => String((isObject(video) && video.uri) || ''));
  if ((await context.parameter('returnAs', index, 'video')) !== 'video')
    return addresses.map((url) => itemOf({ url }, index));
  const property = String(options.binaryPropertyOutput || 'data');
  return Promise.all(addresses.map((address) => videoItem(context, index, { server, address, property })));
};

export const downloadVideo: ModelOperation = async (context, index) => {
  const server = await geminiServer(context);
  const address = String((await context.parameter('url', index, '')) ?? '');
  const { binaryPropertyOutput } = await optionsOf(context, index);
  const property = String(binaryPropertyOutput || 'data');
  return [await videoItem(context, index, { server, address, property })];
};

/** @throws NodeError for an address of another server: the key of the credential is for Google alone */
async function videoItem(
  context: NodeContext,
  index: number,
  { server, address, property }: { server: ModelServer; address: string; property: string },
): Promise<Item> {
  if (!URL.canParse(address) || new URL(address).origin !== new URL(server.baseUrl).origin) {
    throw new NodeError(`"${address}" is no address of a file at ${server.baseUrl}`, { itemIndex: index });
  }
  const file = await download(context, server, { address, fallback: 'video/mp4' });
  return fileItem(context, index, { ...file, fileName: 'video.mp4', property });
}
