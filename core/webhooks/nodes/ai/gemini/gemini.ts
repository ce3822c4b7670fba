/** The Google Gemini node: texts, images, recordings, videos, documents and files. */
import type { NodeType } from '../../../node-api/node-type.ts';
import { serviceNode } from '../actions/service-node.ts';
import { analyzeAudio, analyzeDocument, analyzeImage, analyzeVideo, transcribe } from './analyze.ts';
import { editImage, generateImage } from './images.ts';
import { message } from './message.ts';
import { geminiParameters } from './parameters.ts';
import { uploadFile } from './upload.ts';
import { downloadVideo, generateVideo } from './videos.ts';

export const googleGemini: NodeType = serviceNode({
  name: '@n8n/n8n-nodes-langchain.googleGemini',
  label: 'Google Gemini',
  description: 'Asks a model of Google about texts, images, recordings, videos and documents.',
  versions: [1, 1.1, 1.2],
  credential: 'googlePalmApi',
  parameters: geminiParameters,
  local: ['text message'],
  operations: {
    'text message': message,
    'image analyze': analyzeImage,
    'image generate': generateImage,
    'image edit': editImage,
    'audio analyze': analyzeAudio,
    'audio transcribe': transcribe,
    'document analyze': analyzeDocument,
    'file upload': uploadFile,
    'video analyze': analyzeVideo,
    'video generate': generateVideo,
    'video download': downloadVideo,
  },
});
