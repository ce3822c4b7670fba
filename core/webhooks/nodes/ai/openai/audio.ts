/** Speech from a text, and texts from speech. */

import { appendFile, fileItem } from '../actions/file-parts.ts';
import { itemOf, type ModelOperation, optionsOf } from '../actions/operation.ts';
import { readJson, requestModel } from '../wire/model-request.ts';
import { openServer } from './open-server.ts';

const HEARING_MODEL = 'whisper-1';

export const speak: ModelOperation = async (context, index) => {
  const own = String((await context.parameter('model', index)) ?? '');
  const { server, model } = await openServer(context, index, { capability: 'speech', model: own });
  const {
    response_format: format = 'mp3',
    speed = 1,
    binaryPropertyOutput,
  } = await optionsOf(context, index);
  const body = {
    model,
    input: await context.parameter('input', index),
    voice: await context.parameter('voice', index),
    response_format: format,
    speed,
  };
  const bytes = await requestModel(context, server, { path: '/audio/speech', body }, (response) =>
    response.arrayBuffer(),
  );
  const file = await fileItem(context, index, {
    bytes: new Uint8Array(bytes),
    fileName: `audio.${format}`,
    property: String(binaryPropertyOutput || 'data'),
  });
  return [file];
};

export const transcribe = hear('/audio/transcriptions');
export const translate = hear('/audio/translations');

function hear(path: string): ModelOperation {
  return async (context, index) => {
    const { server, model } = await openServer(context, index, {
      capability: 'audio',
      model: HEARING_MODEL,
    });
    const { language, temperature } = await optionsOf(context, index);
    const form = new FormData();
    form.append('model', model);
    if (language) form.append('language', String(language));
    if (temperature) form.append('temperature', String(temperature));
    const property = String((await context.parameter('binaryPropertyName', index)) || 'data');
    await appendFile(context, index, form, { field: 'file', property });
    return [itemOf(await requestModel(context, server, { path, body: form }, readJson), index)];
  };
}
