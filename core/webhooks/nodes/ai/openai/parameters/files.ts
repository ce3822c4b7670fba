import type { Parameter } from '#core/workflow-format';
import { choice, jsonText, options, text } from '../../../shared/parameters.ts';

const isUpload = { resource: ['file'], operation: ['upload'] };
const isDelete = { resource: ['file'], operation: ['deleteFile'] };
const isList = { resource: ['file'], operation: ['list'] };
const PURPOSES = ['assistants', 'fine-tune', 'vision', 'user_data'];

export const fileParameters: Parameter[] = [
  choice('operation', 'Operation', 'upload', {
    literal: true,
    show: { resource: ['file'] },
    options: { upload: 'Upload a File', list: 'List Files', deleteFile: 'Delete a File' },
  }),
  text('binaryPropertyName', 'Input Data Field Name', { default: 'data', show: isUpload }),
  jsonText('fileId', 'File', {
    default: { __rl: true, mode: 'list', value: '' },
    required: true,
    show: isDelete,
  }),
  options({
    show: isUpload,
    fields: [
      choice('purpose', 'Purpose', 'assistants', { versions: { to: 1.8 }, options: PURPOSES }),
      choice('purpose', 'Purpose', 'user_data', { versions: { from: 2 }, options: PURPOSES }),
    ],
  }),
  options({ show: isList, fields: [choice('purpose', 'Purpose', 'any', { options: ['any', ...PURPOSES] })] }),
];
