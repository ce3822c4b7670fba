/** Runs the code that n8n's editor wrote from instructions. */
import type { NodeType } from '../../node-api/node-type.ts';
import { sourceCode, text } from '../shared/parameters.ts';
import { code } from './code.ts';

export const aiTransform: NodeType = {
  name: 'n8n-nodes-base.aiTransform',
  label: 'AI Transform',
  description: 'Runs code that was written from instructions. The instructions alone change nothing here.',
  group: 'data',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    text('instructions', 'Instructions', { rows: 5, literal: true }),
    sourceCode('jsCode', 'Transformation Code', 'javascript', { default: '', literal: true, rows: 12 }),
  ],
  issues: ({ get }) =>
    String(get('jsCode') ?? '').trim() === ''
      ? ['The instructions have no code yet: write it, or use a Code node']
      : [],
  execute: (context) => code.execute(context),
};
