/** Whether a text is harmful, by OpenAI's moderation. */
import { objectList } from '../../shared/object-list.ts';
import { itemOf, type ModelOperation, optionsOf } from '../actions/operation.ts';
import { openAiServer } from '../chat-models/openai.ts';
import { readJson, requestModel } from '../wire/model-request.ts';

export const classify: ModelOperation = async (context, index) => {
  const input = await context.parameter('input', index, '');
  const { useStableModel } = await optionsOf(context, index);
  const old = useStableModel ? 'text-moderation-stable' : 'text-moderation-latest';
  const body = { model: context.version < 2.1 ? old : 'omni-moderation-latest', input };
  const server = await openAiServer(context, {});
  const { results } = await requestModel(context, server, { path: '/moderations', body }, readJson);
  const [result = {}] = objectList(results);
  if ((await context.parameter('simplify', index, false)) !== true) return [itemOf(result, index)];
  return [itemOf({ flagged: result.flagged }, index)];
};
