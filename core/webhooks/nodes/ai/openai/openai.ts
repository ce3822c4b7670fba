/** The OpenAI node: texts, images, audio and files. */
import type { NodeType } from '../../../node-api/node-type.ts';
import { serviceNode } from '../actions/service-node.ts';
import { analyzeImage } from './analyze-image.ts';
import { speak, transcribe, translate } from './audio.ts';
import { classify } from './classify.ts';
import { deleteFile, listFiles, uploadFile } from './files.ts';
import { editImage, generateImage } from './images.ts';
import { message } from './message.ts';
import { openAiParameters } from './parameters/index.ts';
import { response } from './response.ts';

export const openAi: NodeType = serviceNode({
  name: '@n8n/n8n-nodes-langchain.openAi',
  label: 'OpenAI',
  description: 'Asks a model of OpenAI, or of a server with the same API.',
  versions: [1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 2, 2.1, 2.2, 2.3],
  credential: 'openAiApi',
  parameters: openAiParameters,
  local: [
    'text message',
    'text response',
    'image analyze',
    'image generate',
    'image edit',
    'audio generate',
    'audio transcribe',
    'audio translate',
  ],
  missing: { assistant: 'OpenAI has ended its assistants: use "Message a Model" of the resource "Text"' },
  operations: {
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
  },
});
