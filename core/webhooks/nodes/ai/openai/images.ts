/** Images from a prompt, and edited ones. */
import type { Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { objectList } from '../../shared/object-list.ts';
import { appendFile, imageItems } from '../actions/file-parts.ts';
import { itemOf, type ModelOperation, optionsOf, promptOf } from '../actions/operation.ts';
import { readJson, requestModel } from '../wire/model-request.ts';
import { openServer } from './open-server.ts';

export const generateImage: ModelOperation = async (context, index) => {
  const { server, model } = await openImageServer(context, index, context.version >= 2.2);
  const prompt = await promptOf(context, index, 'prompt');
  const {
    returnImageUrls,
    binaryPropertyOutput,
    dalleQuality,
    quality = dalleQuality,
    ...options
  } = await optionsOf(context, index);
  const isUrl = returnImageUrls === true && !isGptImage(model);
  const body = {
    prompt,
    ...(model && { model }),
    // Models of this name answer with the image itself, and refuse the field.
    ...(!isGptImage(model) && { response_format: isUrl ? 'url' : 'b64_json' }),
    ...options,
    ...(quality !== undefined && { quality }),
  };
  const { data } = await requestModel(context, server, { path: '/images/generations', body }, readJson);
  const property = binaryPropertyOutput ? String(binaryPropertyOutput) : 'data';
  return isUrl ? addressItems(data, index) : imageItems(context, index, objectList(data), { property });
};

export const editImage: ModelOperation = async (context, index) => {
  const { server, model } = await openImageServer(context, index, context.version >= 2.3);
  const prompt = await promptOf(context, index, 'prompt');
  const options = await optionsOf(context, index);
  const read = async (name: string) => context.parameter<unknown>(name, index, undefined);
  const isGpt = isGptImage(model);
  const isDallE = model.startsWith('dall-e');
  const format = isDallE ? String((await read('responseFormat')) ?? 'url') : 'b64_json';
  const outputFormat = isGpt ? await read('outputFormat') : undefined;
  const form = new FormData();
  if (isGpt) {
    const images = objectList(await context.parameter('images.values', index, []));
    for (const { binaryPropertyName = 'data' } of images)
      await appendFile(context, index, form, { field: 'image[]', property: String(binaryPropertyName) });
  } else {
    const property = String((await read('binaryPropertyName')) ?? 'data');
    await appendFile(context, index, form, { field: 'image', property });
  }
  const fields: JsonObject = {
    prompt,
    model,
    n: await read('n'),
    size: await read('size'),
    user: options.user,
    ...(!isGpt && { response_format: format }),
    ...(isGpt && {
      background: options.background,
      input_fidelity: options.inputFidelity,
      output_format: outputFormat,
      output_compression: outputFormat === 'png' ? undefined : await read('outputCompression'),
      quality: await read('quality'),
    }),
  };
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined && value !== '') form.append(name, String(value));
  if (options.imageMask)
    await appendFile(context, index, form, { field: 'mask', property: String(options.imageMask) });
  const { data } = await requestModel(context, server, { path: '/images/edits', body: form }, readJson);
  if (format === 'url') return addressItems(data, index);
  const mimeType = outputFormat ? `image/${outputFormat}` : 'image/png';
  return imageItems(context, index, objectList(data), { mimeType });
};

/** @param isLocator whether this version names the model by `modelId` */
async function openImageServer(context: NodeContext, index: number, isLocator: boolean) {
  const model = isLocator ? undefined : String((await context.parameter('model', index)) ?? '');
  return openServer(context, index, model === undefined ? {} : { model });
}

function isGptImage(model: string): boolean {
  return model.includes('gpt-image');
}

function addressItems(data: unknown, index: number): Item[] {
  return objectList(data).map((entry) => itemOf(entry, index));
}
