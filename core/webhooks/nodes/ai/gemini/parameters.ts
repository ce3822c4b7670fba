/** The parameters of the Google Gemini node. */
import type { Parameter } from '#core/workflow-format';
import {
  choice,
  collection,
  fixedCollectionList,
  flag,
  group,
  jsonText,
  number,
  options,
  text,
} from '../../shared/parameters.ts';

const shown = (resource: string, operation: string) => ({ resource: [resource], operation: [operation] });
const MODELS = { default: { __rl: true, mode: 'list', value: '' } };
const output = (value: string) => text('binaryPropertyOutput', 'Put Output in Field', { default: value });

const media: [resource: string, operation: string, addresses: string, question?: string][] = [
  ['audio', 'analyze', 'audioUrls', "What's in this audio?"],
  ['audio', 'transcribe', 'audioUrls'],
  ['document', 'analyze', 'documentUrls', "What's in this document?"],
  ['image', 'analyze', 'imageUrls', "What's in this image?"],
  ['video', 'analyze', 'videoUrls', "What's in this video?"],
];

function mediaParameters([resource, operation, addresses, question]: (typeof media)[number]): Parameter[] {
  const show = shown(resource, operation);
  return [
    jsonText('modelId', 'Model', { ...MODELS, required: true, show }),
    ...(question === undefined ? [] : [text('text', 'Text Input', { default: question, rows: 2, show })]),
    ...sourceParameters(show, addresses),
    flag('simplify', 'Simplify Output', { default: true, show }),
    options({
      show,
      fields:
        question === undefined
          ? [text('startTime', 'Start Time'), text('endTime', 'End Time')]
          : [number('maxOutputTokens', 'Length of Description (Max Tokens)', 300, { minimum: 1 })],
    }),
  ];
}

function sourceParameters(show: Record<string, unknown[]>, addresses: string): Parameter[] {
  return [
    choice('inputType', 'Input Type', 'url', {
      show,
      options: { url: 'File URL(s)', binary: 'Binary File(s)' },
    }),
    text(addresses, 'URL(s)', { show: { ...show, inputType: ['url'] } }),
    text('binaryPropertyName', 'Input Data Field Name(s)', {
      default: 'data',
      show: { ...show, inputType: ['binary'] },
    }),
  ];
}

const isMessage = shown('text', 'message');
const isGenerate = shown('image', 'generate');
const isEdit = shown('image', 'edit');
const isVideo = shown('video', 'generate');

const operations: [resource: string, value: string, labels: Record<string, string>][] = [
  ['audio', 'transcribe', { analyze: 'Analyze Audio', transcribe: 'Transcribe a Recording' }],
  ['document', 'analyze', { analyze: 'Analyze Document' }],
  ['file', 'upload', { upload: 'Upload File' }],
  ['image', 'generate', { analyze: 'Analyze Image', generate: 'Generate an Image', edit: 'Edit Image' }],
  ['text', 'message', { message: 'Message a Model' }],
  [
    'video',
    'generate',
    { analyze: 'Analyze Video', generate: 'Generate a Video', download: 'Download Video' },
  ],
];

const messageOptions = [
  flag('includeMergedResponse', 'Include Merged Response', { versions: { from: 1.1 } }),
  text('systemMessage', 'System Message', { rows: 2 }),
  flag('codeExecution', 'Code Execution', { versions: { to: 1 } }),
  number('frequencyPenalty', 'Frequency Penalty', 0, { minimum: -2, maximum: 2 }),
  number('maxOutputTokens', 'Maximum Number of Tokens', 16),
  number('candidateCount', 'Number of Completions', 1),
  number('presencePenalty', 'Presence Penalty', 0, { minimum: -2, maximum: 2 }),
  number('temperature', 'Output Randomness (Temperature)', 1, { minimum: 0, maximum: 2 }),
  number('topP', 'Output Randomness (Top P)', 1, { minimum: 0, maximum: 1 }),
  number('topK', 'Output Randomness (Top K)', 1),
  number('thinkingBudget', 'Thinking Budget', -1),
  number('maxToolsIterations', 'Max Tool Calls Iterations', 15),
];

export const geminiParameters: Parameter[] = [
  choice('resource', 'Resource', 'text', {
    literal: true,
    options: {
      audio: 'Audio',
      document: 'Document',
      file: 'File',
      image: 'Image',
      text: 'Text',
      video: 'Video',
    },
  }),
  ...operations.map(([resource, value, labels]) =>
    choice('operation', 'Operation', value, {
      literal: true,
      show: { resource: [resource] },
      options: labels,
    }),
  ),
  ...media.flatMap(mediaParameters),
  ...sourceParameters(shown('file', 'upload'), 'fileUrl'),
  jsonText('modelId', 'Model', { ...MODELS, required: true, show: isMessage }),
  fixedCollectionList('messages', 'Messages', {
    show: isMessage,
    groups: [
      group('values', 'Values', [
        text('content', 'Prompt', { rows: 2 }),
        choice('role', 'Role', 'user', { options: { user: 'User', model: 'Model' } }),
      ]),
    ],
  }),
  flag('simplify', 'Simplify Output', { default: true, show: isMessage }),
  flag('jsonOutput', 'Output Content as JSON', { show: isMessage }),
  collection('builtInTools', 'Built-in Tools', {
    show: isMessage,
    versions: { from: 1.1 },
    fields: [
      flag('googleSearch', 'Google Search', { default: true }),
      collection('googleMaps', 'Google Maps', {
        fields: [text('latitude', 'Latitude'), text('longitude', 'Longitude')],
      }),
      flag('urlContext', 'URL Context', { default: true }),
      collection('fileSearch', 'File Search', {
        fields: [
          jsonText('fileSearchStoreNames', 'File Search Store Names', { default: '[]' }),
          text('metadataFilter', 'Metadata Filter'),
        ],
      }),
      flag('codeExecution', 'Code Execution', { default: true }),
    ],
  }),
  options({ show: isMessage, fields: messageOptions }),
  jsonText('modelId', 'Model', { ...MODELS, required: true, show: isGenerate }),
  text('prompt', 'Prompt', { rows: 2, show: isGenerate }),
  options({ show: isGenerate, fields: [number('sampleCount', 'Number of Images', 1), output('data')] }),
  jsonText('modelId', 'Model', { ...MODELS, show: isEdit }),
  text('prompt', 'Prompt', { rows: 2, show: isEdit }),
  fixedCollectionList('images', 'Images', {
    show: isEdit,
    default: { values: [{ binaryPropertyName: 'data' }] },
    groups: [
      group('values', 'Image', [text('binaryPropertyName', 'Binary Field Name', { default: 'data' })]),
    ],
  }),
  options({ show: isEdit, fields: [output('edited')] }),
  jsonText('modelId', 'Model', { ...MODELS, required: true, show: isVideo }),
  text('prompt', 'Prompt', { rows: 2, show: isVideo }),
  choice('returnAs', 'Return As', 'video', { show: isVideo, options: { video: 'Video', url: 'URL' } }),
  options({
    show: isVideo,
    fields: [
      number('sampleCount', 'Number of Videos', 1),
      number('durationSeconds', 'Duration (Seconds)', 8),
      choice('aspectRatio', 'Aspect Ratio', '16:9', { options: ['16:9', '9:16'] }),
      choice('personGeneration', 'Person Generation', 'dont_allow', {
        options: ['dont_allow', 'allow_adult', 'allow_all'],
      }),
      output('data'),
    ],
  }),
  text('url', 'URL', { show: shown('video', 'download') }),
  options({ show: shown('video', 'download'), fields: [output('data')] }),
];
