import type { Parameter } from '#core/workflow-format';
import {
  choice,
  collection,
  fixedCollection,
  fixedCollectionList,
  flag,
  group,
  jsonText,
  multiChoice,
  number,
  options,
  text,
} from '../../../shared/parameters.ts';

const ROLES = { user: 'User', assistant: 'Assistant', system: 'System' };
const LEVELS = { low: 'Low', medium: 'Medium', high: 'High' };
const DETAILS = { auto: 'Auto', low: 'Low', high: 'High' };

const isMessage = { resource: ['text'], operation: ['message'] };
const isResponse = { resource: ['text'], operation: ['response'] };
const isClassify = { resource: ['text'], operation: ['classify'] };

const model = (show: Record<string, unknown[]>): Parameter =>
  jsonText('modelId', 'Model', { default: { __rl: true, mode: 'id', value: '' }, show });

const messageFields = [
  text('content', 'Prompt', { rows: 2 }),
  choice('role', 'Role', 'user', { options: ROLES }),
];

/** The kinds of content since version 2. */
const contentFields = [
  choice('type', 'Type', 'text', { options: { text: 'Text', image: 'Image', file: 'File' } }),
  choice('role', 'Role', 'user', { options: ROLES }),
  text('content', 'Prompt', { rows: 2, show: { type: ['text'] } }),
  choice('imageType', 'Image Type', 'url', {
    show: { type: ['image'] },
    options: { url: 'Image URL', fileId: 'File ID', base64: 'File Data' },
  }),
  text('imageUrl', 'Image URL', { show: { type: ['image'], imageType: ['url'] } }),
  choice('imageDetail', 'Detail', 'auto', { show: { type: ['image'] }, options: DETAILS }),
  choice('fileType', 'File Type', 'url', {
    show: { type: ['file'] },
    options: { url: 'File URL', fileId: 'File ID', base64: 'File Data' },
  }),
  text('fileUrl', 'File URL', { show: { type: ['file'], fileType: ['url'] } }),
  text('fileId', 'File ID'),
  text('binaryPropertyName', 'Data Field Name', { default: 'data' }),
  text('fileName', 'File Name', { show: { type: ['file'], fileType: ['base64'] } }),
];

const webSearch = collection('webSearch', 'Web Search', {
  fields: [
    choice('searchContextSize', 'Search Context Size', 'medium', { options: LEVELS }),
    text('allowedDomains', 'Allowed Domains'),
    text('country', 'Country'),
    text('city', 'City'),
    text('region', 'Region'),
  ],
});
const fileSearch = collection('fileSearch', 'File Search', {
  fields: [
    jsonText('vectorStoreIds', 'Vector Store IDs', { default: '[]' }),
    jsonText('filters', 'Filters', { default: '{}' }),
    number('maxResults', 'Max Results', 1, { minimum: 1, maximum: 50 }),
  ],
});

const textFormat = fixedCollection('textFormat', 'Output Format', {
  groups: [
    group('textOptions', 'Text', [
      choice('type', 'Type', 'text', {
        options: { text: 'Text', json_schema: 'JSON Schema', json_object: 'JSON Object' },
      }),
      choice('verbosity', 'Verbosity', 'medium', { options: LEVELS }),
      text('name', 'Name', { default: 'my_schema', show: { type: ['json_schema'] } }),
      jsonText('schema', 'Schema', { show: { type: ['json_schema'] } }),
      text('description', 'Description', { show: { type: ['json_schema'] } }),
      flag('strict', 'Strict', { show: { type: ['json_schema'] } }),
    ]),
  ],
});
const reasoning = fixedCollection('reasoning', 'Reasoning', {
  groups: [
    group('reasoningOptions', 'Reasoning', [
      choice('effort', 'Effort', 'medium', { options: LEVELS }),
      choice('summary', 'Summary', 'auto', { options: ['none', 'auto', 'concise', 'detailed'] }),
    ]),
  ],
});
const promptConfig = fixedCollection('promptConfig', 'Prompt', {
  groups: [
    group('promptOptions', 'Prompt', [
      text('promptId', 'Prompt ID'),
      text('version', 'Version'),
      jsonText('variables', 'Variables', { default: '{}' }),
    ]),
  ],
});
const backgroundMode = fixedCollection('backgroundMode', 'Background Mode', {
  groups: [
    group('values', 'Background', [
      flag('enabled', 'Background Mode'),
      number('timeout', 'Timeout', 300, { minimum: 0, maximum: 3600 }),
    ]),
  ],
});

const INCLUDED = [
  'code_interpreter_call.outputs',
  'computer_call_output.output.image_url',
  'file_search_call.results',
  'message.input_image.image_url',
  'message.output_text.logprobs',
  'reasoning.encrypted_content',
  'web_search_call.action.sources',
];

const responseOptions = [
  text('conversationId', 'Conversation ID'),
  multiChoice('include', 'Include Additional Data', [], { options: INCLUDED }),
  text('instructions', 'Instructions', { rows: 2 }),
  number('maxTokens', 'Maximum Number of Tokens', 16),
  number('maxToolsIterations', 'Max Tool Calls Iterations', 15),
  number('maxToolCalls', 'Max Built-in Tool Calls', 15),
  jsonText('metadata', 'Metadata', { default: '{}' }),
  flag('parallelToolCalls', 'Parallel Tool Calls'),
  text('previousResponseId', 'Previous Response ID'),
  promptConfig,
  text('promptCacheKey', 'Prompt Cache Key'),
  reasoning,
  text('safetyIdentifier', 'Safety Identifier'),
  choice('serviceTier', 'Service Tier', 'auto', { options: ['auto', 'flex', 'default', 'priority'] }),
  flag('store', 'Store', { default: true }),
  textFormat,
  number('topLogprobs', 'Top Logprobs', 0, { minimum: 0, maximum: 20 }),
  number('temperature', 'Sampling Temperature', 1, { minimum: 0, maximum: 2 }),
  number('topP', 'Top P', 1, { minimum: 0, maximum: 1 }),
  flag('truncation', 'Truncation'),
  backgroundMode,
];

export const textParameters: Parameter[] = [
  choice('operation', 'Operation', 'message', {
    literal: true,
    versions: { to: 1.8 },
    show: { resource: ['text'] },
    options: { message: 'Message a Model', classify: 'Classify Text for Violations' },
  }),
  choice('operation', 'Operation', 'response', {
    literal: true,
    versions: { from: 2 },
    show: { resource: ['text'] },
    options: { response: 'Message a Model', classify: 'Classify Text for Violations' },
  }),
  model(isMessage),
  model(isResponse),
  fixedCollectionList('messages', 'Messages', {
    show: isMessage,
    groups: [group('values', 'Values', messageFields)],
  }),
  fixedCollectionList('responses', 'Messages', {
    show: isResponse,
    groups: [group('values', 'Values', contentFields)],
  }),
  text('input', 'Text Input', { rows: 2, show: isClassify }),
  flag('simplify', 'Simplify Output', { default: true, show: isMessage }),
  flag('simplify', 'Simplify Output', { default: true, show: isResponse }),
  flag('simplify', 'Simplify Output', { show: isClassify }),
  flag('jsonOutput', 'Output Content as JSON', { show: isMessage }),
  collection('builtInTools', 'Built-in Tools', {
    show: isResponse,
    fields: [webSearch, fileSearch, flag('codeInterpreter', 'Code Interpreter', { default: true })],
  }),
  options({
    show: isMessage,
    fields: [
      number('temperature', 'Sampling Temperature', 1, { minimum: 0, maximum: 2 }),
      number('maxTokens', 'Maximum Number of Tokens', 16),
      number('topP', 'Top P', 1, { minimum: 0, maximum: 1 }),
      number('n', 'Number of Completions', 1),
      number('frequency_penalty', 'Frequency Penalty', 0),
      number('presence_penalty', 'Presence Penalty', 0),
      number('maxToolsIterations', 'Max Tool Calls Iterations', 15),
    ],
  }),
  options({ show: isResponse, fields: responseOptions }),
  options({ show: isClassify, fields: [flag('useStableModel', 'Use Stable Model')] }),
];
