/** The parameters of the OpenAI node: texts alone. */
import type { Parameter } from '#core/workflow-format';
import {
  choice,
  fixedCollectionList,
  flag,
  group,
  jsonText,
  number,
  options,
  text,
} from '../../shared/parameters.ts';

const ROLES = { user: 'User', assistant: 'Assistant', system: 'System' };
const messageFields = [
  text('content', 'Prompt', { rows: 2 }),
  choice('role', 'Role', 'user', { options: ROLES }),
];

export const openAiParameters: Parameter[] = [
  choice('resource', 'Resource', 'text', {
    literal: true,
    options: { text: 'Text', image: 'Image', audio: 'Audio', file: 'File', assistant: 'Assistant' },
  }),
  choice('operation', 'Operation', 'message', {
    literal: true,
    versions: { to: 1.8 },
    options: { message: 'Message a Model' },
  }),
  choice('operation', 'Operation', 'response', {
    literal: true,
    versions: { from: 2 },
    options: { response: 'Message a Model' },
  }),
  jsonText('modelId', 'Model', { default: { __rl: true, mode: 'id', value: '' } }),
  fixedCollectionList('messages', 'Messages', {
    versions: { to: 1.8 },
    groups: [group('values', 'Values', messageFields)],
  }),
  fixedCollectionList('responses', 'Messages', {
    versions: { from: 2 },
    groups: [group('values', 'Values', messageFields)],
  }),
  flag('simplify', 'Simplify Output', { default: true }),
  flag('jsonOutput', 'Output Content as JSON', { versions: { to: 1.8 } }),
  options({
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
];
