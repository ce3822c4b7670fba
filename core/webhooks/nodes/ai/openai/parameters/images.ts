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
} from '../../../shared/parameters.ts';

const isGenerate = { resource: ['image'], operation: ['generate'] };
const isAnalyze = { resource: ['image'], operation: ['analyze'] };
const isEdit = { resource: ['image'], operation: ['edit'] };
const located = (value: string) => ({ default: { __rl: true, mode: 'list', value } });
const SIZES = ['256x256', '512x512', '1024x1024', '1024x1536', '1536x1024', '1792x1024', '1024x1792', 'auto'];

export const imageParameters: Parameter[] = [
  choice('operation', 'Operation', 'generate', {
    literal: true,
    show: { resource: ['image'] },
    options: { generate: 'Generate an Image', analyze: 'Analyze Image', edit: 'Edit Image' },
  }),
  choice('model', 'Model', 'dall-e-3', {
    show: isGenerate,
    versions: { to: 2.1 },
    options: ['dall-e-2', 'dall-e-3', 'gpt-image-1'],
  }),
  choice('model', 'Model', 'gpt-image-1', {
    show: isEdit,
    versions: { to: 2.2 },
    options: ['dall-e-2', 'gpt-image-1'],
  }),
  jsonText('modelId', 'Model', { ...located('gpt-image-1-mini'), show: isGenerate, versions: { from: 2.2 } }),
  jsonText('modelId', 'Model', { ...located('gpt-image-1'), show: isEdit, versions: { from: 2.3 } }),
  jsonText('modelId', 'Model', { ...located(''), show: isAnalyze, versions: { from: 1.4 } }),
  text('prompt', 'Prompt', { rows: 2, show: isGenerate }),
  text('prompt', 'Prompt', { rows: 2, show: isEdit, required: true }),
  options({
    show: isGenerate,
    fields: [
      number('n', 'Number of Images', 1),
      choice('dalleQuality', 'Quality (DALL-E 3)', 'standard', { options: ['hd', 'standard'] }),
      choice('quality', 'Quality', 'medium', { options: ['high', 'medium', 'low', 'hd', 'standard'] }),
      choice('size', 'Resolution', '1024x1024', { options: SIZES }),
      choice('style', 'Style', 'vivid', { options: { natural: 'Natural', vivid: 'Vivid' } }),
      flag('returnImageUrls', 'Respond with Image URL(s)'),
      text('binaryPropertyOutput', 'Put Output in Field', { default: 'data' }),
    ],
  }),
  text('text', 'Text Input', { default: "What's in this image?", rows: 2, show: isAnalyze }),
  choice('inputType', 'Input Type', 'url', {
    show: isAnalyze,
    options: { url: 'Image URL(s)', base64: 'Binary File(s)' },
  }),
  text('imageUrls', 'URL(s)', { show: { ...isAnalyze, inputType: ['url'] } }),
  text('binaryPropertyName', 'Input Data Field Name', {
    default: 'data',
    show: { ...isAnalyze, inputType: ['base64'] },
  }),
  flag('simplify', 'Simplify Output', { default: true, show: isAnalyze }),
  options({
    show: isAnalyze,
    fields: [
      choice('detail', 'Detail', 'auto', { options: { auto: 'Auto', low: 'Low', high: 'High' } }),
      number('maxTokens', 'Length of Description (Max Tokens)', 300, { minimum: 1 }),
    ],
  }),
  fixedCollectionList('images', 'Images', {
    show: isEdit,
    default: { values: [{ binaryPropertyName: 'data' }] },
    groups: [
      group('values', 'Values', [text('binaryPropertyName', 'Binary Field Name', { default: 'data' })]),
    ],
  }),
  text('binaryPropertyName', 'Binary Field Name (DALL-E)', { default: 'data', show: isEdit }),
  number('n', 'Number of Images', 1, { show: isEdit }),
  choice('size', 'Size', '1024x1024', { show: isEdit, options: SIZES }),
  choice('quality', 'Quality', 'auto', {
    show: isEdit,
    options: ['auto', 'high', 'medium', 'low', 'standard'],
  }),
  choice('responseFormat', 'Response Format (DALL-E)', 'url', { show: isEdit, options: ['url', 'b64_json'] }),
  choice('outputFormat', 'Output Format', 'png', { show: isEdit, options: ['png', 'jpeg', 'webp'] }),
  number('outputCompression', 'Output Compression', 100, { show: isEdit, minimum: 0, maximum: 100 }),
  options({
    show: isEdit,
    fields: [
      text('user', 'User'),
      choice('background', 'Background', 'auto', { options: ['auto', 'transparent', 'opaque'] }),
      choice('inputFidelity', 'Input Fidelity', 'low', { options: ['low', 'high'] }),
      text('imageMask', 'Image Mask', { default: 'data' }),
    ],
  }),
];
