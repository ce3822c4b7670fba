/** Images from a prompt, and edited ones. */
import { decodeBase64 } from '#core/http';
import type { Item } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import { objectList } from '../../shared/object-list.ts';
import { fileItem } from '../actions/file-parts.ts';
import { type ModelOperation, optionsOf } from '../actions/operation.ts';
import { modelName } from '../chat-models/openai.ts';
import { readJson, requestModel } from '../wire/model-request.ts';
import { type Candidate, candidatesOf, geminiServer, generateContent, partsOf } from './gemini-server.ts';
import { uploadOwnFiles } from './uploaded-files.ts';

const EDITING_MODEL = 'models/gemini-2.5-flash-image-preview';

export const generateImage: ModelOperation = async (context, index) => {
  const server = await geminiServer(context);
  const model = await modelName(context, index, 'modelId');
  const prompt = String((await context.parameter('prompt', index, '')) ?? '');
  const { binaryPropertyOutput, sampleCount = 1 } = await optionsOf(context, index);
  const property = String(binaryPropertyOutput || 'data');
  if (model.includes('gemini')) {
    const answer = await generateContent(context, server, {
      model,
      contents: [{ role: 'user', parts: [{ text: prompt }] }],
      generationConfig: { responseModalities: ['IMAGE', 'TEXT'] },
    });
    return imagesOf(context, index, candidatesOf(answer), property);
  }
  if (!model.includes('imagen')) {
    throw new NodeError(`Model ${model} is not supported for image generation`, {
      description: 'Please check the model ID and try again.',
      itemIndex: index,
    });
  }
  const body = { instances: [{ prompt }], parameters: { sampleCount } };
  const answer = await requestModel(context, server, { path: `/v1beta/${model}:predict`, body }, readJson);
  return Promise.all(
    objectList(answer.predictions).map(({ bytesBase64Encoded, mimeType }) =>
      imageItem(context, index, { data: bytesBase64Encoded, mimeType, property }),
    ),
  );
};

export const editImage: ModelOperation = async (context, index) => {
  const server = await geminiServer(context);
  const model = (await modelName(context, index, 'modelId')) || EDITING_MODEL;
  const images = objectList(await context.parameter('images.values', index, []));
  const properties = images.map(({ binaryPropertyName = 'data' }) => String(binaryPropertyName));
  const files = await uploadOwnFiles(context, server, index, properties.filter(Boolean));
  const text = String((await context.parameter('prompt', index, '')) ?? '');
  const { binaryPropertyOutput } = await optionsOf(context, index);
  const answer = await generateContent(context, server, {
    model,
    contents: [{ role: 'user', parts: [...files.map((fileData) => ({ fileData })), { text }] }],
    generationConfig: { responseModalities: ['IMAGE'] },
  });
  return imagesOf(context, index, candidatesOf(answer), String(binaryPropertyOutput || 'edited'));
};

/** An item for each candidate. @throws NodeError for one without an image */
function imagesOf(
  context: NodeContext,
  index: number,
  candidates: Candidate[],
  property: string,
): Promise<Item[]> {
  return Promise.all(
    candidates.map((candidate) => {
      const image = partsOf(candidate).find(({ inlineData }) => inlineData)?.inlineData;
      if (!image?.data) throw new NodeError('No image data returned from Gemini API', { itemIndex: index });
      return imageItem(context, index, { ...image, property });
    }),
  );
}

function imageItem(
  context: NodeContext,
  index: number,
  { data, mimeType, property }: { data?: unknown; mimeType?: unknown; property: string },
): Promise<Item> {
  return fileItem(context, index, {
    bytes: decodeBase64(String(data ?? '')),
    fileName: 'image.png',
    mimeType: String(mimeType ?? 'image/png'),
    property,
  });
}
