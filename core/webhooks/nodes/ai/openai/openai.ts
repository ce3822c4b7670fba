/** The OpenAI node: texts, images, audio and files. */
import type { NodeSettings } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import { perItem } from '../../../node-api/per-item.ts';
import { rootError } from '../chains/root-error.ts';
import { withLocalChoice } from '../chat-models/with-local-model.ts';
import { toolInput } from '../describe.ts';
import { analyzeImage } from './analyze-image.ts';
import { speak, transcribe, translate } from './audio.ts';
import { classify } from './classify.ts';
import { deleteFile, listFiles, uploadFile } from './files.ts';
import { editImage, generateImage } from './images.ts';
import { message } from './message.ts';
import type { OpenAiOperation } from './operation.ts';
import { openAiParameters } from './parameters/index.ts';
import { response } from './response.ts';

const OPERATIONS: Record<string, OpenAiOperation> = {
  'text message': message,
  'text response': response,
  'text classify': classify,
  'image analyze': analyzeImage,
  'image generate': generateImage,
  'image edit': editImage,
  'audio generate': speak,
  'audio transcribe': transcribe,
  'audio translate': translate,
  'file upload': uploadFile,
  'file list': listFiles,
  'file deleteFile': deleteFile,
};

export const openAi: NodeType = withLocalChoice({
  name: '@n8n/n8n-nodes-langchain.openAi',
  label: 'OpenAI',
  description: 'Asks a model of OpenAI, or of a server with the same API.',
  group: 'model',
  versions: [1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 2, 2.1, 2.2, 2.3],
  inputs: 1,
  outputs: ['main'],
  subNodes: ({ get }) => (get('resource') === 'text' ? [toolInput] : []),
  credentials: [{ type: 'openAiApi', required: true }],
  parameters: openAiParameters,
  issues,
  execute: (context) => {
    const [resource, operation] = ['resource', 'operation'].map((name) => context.literal<string>(name));
    const run = OPERATIONS[`${resource} ${operation}`];
    return perItem(context, async (_item, index) => {
      if (!run) throw new NodeError(`The operation "${operation}" of "${resource}" is not supported here`);
      try {
        return await run(context, index);
      } catch (error) {
        throw rootError(error, index);
      }
    });
  },
});

function issues({ get }: NodeSettings): string[] {
  const [resource, operation] = [String(get('resource')), String(get('operation'))];
  if (Object.hasOwn(OPERATIONS, `${resource} ${operation}`)) return [];
  if (resource === 'assistant')
    return ['OpenAI has ended its assistants: use "Message a Model" of the resource "Text"'];
  return [`The operation "${operation}" of "${resource}" is not supported here`];
}
