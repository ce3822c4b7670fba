/** The parameters of the OpenAI node. */
import type { Parameter } from '#core/workflow-format';
import { choice } from '../../../shared/parameters.ts';
import { audioParameters } from './audio.ts';
import { fileParameters } from './files.ts';
import { imageParameters } from './images.ts';
import { textParameters } from './text.ts';

export const openAiParameters: Parameter[] = [
  choice('resource', 'Resource', 'text', {
    literal: true,
    options: { text: 'Text', image: 'Image', audio: 'Audio', file: 'File' },
  }),
  ...textParameters,
  ...imageParameters,
  ...audioParameters,
  ...fileParameters,
];
