import type { Parameter } from '#core/workflow-format';
import { choice, number, options, text } from '../../../shared/parameters.ts';

const isGenerate = { resource: ['audio'], operation: ['generate'] };
const isTranscribe = { resource: ['audio'], operation: ['transcribe'] };
const isTranslate = { resource: ['audio'], operation: ['translate'] };
const temperature = number('temperature', 'Output Randomness (Temperature)', 0, { minimum: 0, maximum: 1 });

export const audioParameters: Parameter[] = [
  choice('operation', 'Operation', 'generate', {
    literal: true,
    show: { resource: ['audio'] },
    options: {
      generate: 'Generate Audio',
      transcribe: 'Transcribe a Recording',
      translate: 'Translate a Recording',
    },
  }),
  choice('model', 'Model', 'tts-1', { show: isGenerate, options: ['tts-1', 'tts-1-hd'] }),
  text('input', 'Text Input', { rows: 2, show: isGenerate }),
  choice('voice', 'Voice', 'alloy', {
    show: isGenerate,
    options: ['alloy', 'echo', 'fable', 'nova', 'onyx', 'shimmer'],
  }),
  text('binaryPropertyName', 'Input Data Field Name', { default: 'data', show: isTranscribe }),
  text('binaryPropertyName', 'Input Data Field Name', { default: 'data', show: isTranslate }),
  options({
    show: isGenerate,
    fields: [
      choice('response_format', 'Response Format', 'mp3', { options: ['mp3', 'opus', 'aac', 'flac'] }),
      number('speed', 'Audio Speed', 1, { minimum: 0.25, maximum: 4 }),
      text('binaryPropertyOutput', 'Put Output in Field', { default: 'data' }),
    ],
  }),
  options({ show: isTranscribe, fields: [text('language', 'Language of the Audio File'), temperature] }),
  options({ show: isTranslate, fields: [temperature] }),
];
