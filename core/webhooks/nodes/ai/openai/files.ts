/** Files that are stored at OpenAI. */
import { NodeError } from '../../../node-api/node-error.ts';
import { objectList } from '../../shared/object-list.ts';
import { appendFile } from '../actions/file-parts.ts';
import { itemOf, type ModelOperation, optionsOf } from '../actions/operation.ts';
import { modelName, openAiServer } from '../chat-models/openai.ts';
import { ModelError, readJson, requestModel } from '../wire/model-request.ts';

export const uploadFile: ModelOperation = async (context, index) => {
  const { purpose } = await optionsOf(context, index);
  const form = new FormData();
  form.append('purpose', String(purpose || (context.version < 2 ? 'assistants' : 'user_data')));
  const property = String((await context.parameter('binaryPropertyName', index)) || 'data');
  await appendFile(context, index, form, { field: 'file', property });
  const server = await openAiServer(context, {});
  try {
    return [itemOf(await requestModel(context, server, { path: '/files', body: form }, readJson), index)];
  } catch (error) {
    if (!(error instanceof ModelError) || !error.description?.includes('Expected file to have JSONL format'))
      throw error;
    throw new NodeError('The file content is not in JSONL format', {
      description:
        'Fine-tuning accepts only files in JSONL format, where every line is a valid JSON dictionary',
    });
  }
};

export const listFiles: ModelOperation = async (context, index) => {
  const { purpose } = await optionsOf(context, index);
  const query = purpose && purpose !== 'any' ? `?purpose=${encodeURIComponent(String(purpose))}` : '';
  const server = await openAiServer(context, {});
  const path = `/files${query}`;
  const { data } = await requestModel(context, server, { path, method: 'GET' }, readJson);
  return objectList(data).map((file) => itemOf(file, index));
};

export const deleteFile: ModelOperation = async (context, index) => {
  const id = await modelName(context, index, 'fileId');
  const server = await openAiServer(context, {});
  const path = `/files/${encodeURIComponent(id)}`;
  return [itemOf(await requestModel(context, server, { path, method: 'DELETE' }, readJson), index)];
};
