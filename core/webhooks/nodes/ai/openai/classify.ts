/** Whether a text is harmful, by OpenAI's moderation. */
import { objectList } from '../../shared/object-list.ts';
import { readJson, requestModel } from '../wire/model-request.ts';
import { fileServer } from './open-server.ts';
import { itemOf, type OpenAiOperation, optionsOf } from './operation.ts';

export const classify: OpenAiOperation = async (context, index) => {
  const input = await context.parameter('input', index, '');
  const { useStableModel } = await optionsOf(context, index);
  const old = useStableModel ? 'text-moderation-stable' : 'text-moderation-latest';
  const body = { model: context.version < 2.1 ? old : 'omni-moderation-latest', input };
  const server = await fileServer(context);
  const { results } = await requestModel(context, server, { path: '/moderations', body }, readJson);
  const [result = {}] = objectList(results);
  if ((await context.parameter('simplify', index, false)) !== true) return [itemOf(result, index)];
  return [itemOf({ flagged: result.flagged }, index)];
};
