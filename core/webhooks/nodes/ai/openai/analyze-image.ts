/** A question about images. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { commaList } from '../../shared/comma-list.ts';
import { objectList } from '../../shared/object-list.ts';
import { itemOf, type ModelOperation, optionsOf, promptOf } from '../actions/operation.ts';
import { imagePart } from '../chains/image-part.ts';
import { readJson, requestModel } from '../wire/model-request.ts';
import { openServer } from './open-server.ts';

/** The model of versions that have no choice. */
const OLD_MODEL = 'gpt-4-vision-preview';
const MAX_TOKENS = 300;

export const analyzeImage: ModelOperation = async (context, index) => {
  const { server, model } = await openServer(context, index, {
    capability: 'vision',
    ...(context.version < 1.4 && { model: OLD_MODEL }),
  });
  const text = await promptOf(context, index, 'text');
  const options = await optionsOf(context, index);
  const detail = String(options.detail || 'auto');
  const limit = Number(options.maxTokens) || MAX_TOKENS;
  const images = await imageAddresses(context, index);
  const isSimple = (await context.parameter('simplify', index)) !== false;
  if (context.version >= 2) {
    const parts = images.map((url) => ({ type: 'input_image', detail, image_url: url }));
    const content = [{ type: 'input_text', text }, ...parts];
    const body = { model, input: [{ role: 'user', content }], max_output_tokens: limit };
    const answer = await requestModel(context, server, { path: '/responses', body }, readJson);
    // A list as the item's JSON: expressions such as `{{ $json[0].content[0].text }}` read it.
    return [itemOf(isSimple ? (answer.output as JsonObject) : answer, index)];
  }
  const parts = images.map((url) => ({ type: 'image_url', image_url: { url, detail } }));
  const content = [{ type: 'text', text }, ...parts];
  const body = { model, messages: [{ role: 'user', content }], max_completion_tokens: limit };
  const answer = await requestModel(context, server, { path: '/chat/completions', body }, readJson);
  const [choice] = objectList(answer.choices);
  const message = choice?.message;
  return [itemOf(isSimple && isObject(message) ? { content: message.content } : answer, index)];
};

async function imageAddresses(context: NodeContext, index: number): Promise<string[]> {
  if ((await context.parameter('inputType', index)) === 'url')
    return commaList(await context.parameter('imageUrls', index));
  const properties = commaList(await context.parameter('binaryPropertyName', index));
  return Promise.all(properties.map((property) => imagePart(context, index, property)));
}
