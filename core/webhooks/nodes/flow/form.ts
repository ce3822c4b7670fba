/** Shows a further page of a form, or its end. The execution waits until the page is sent, or was shown. */
import type { NodeType } from '../../node-api/node-type.ts';
import { choice, date, flag, jsonText, number, options, text } from '../shared/parameters.ts';
import {
  attributionOption,
  buttonOption,
  cssOption,
  formFieldsParameter,
} from '../triggers/form/parameters.ts';
import { PAGE_KEY, readEnding, readPage } from './form/read-page.ts';
import { readWaitLimit } from './wait/read-limit.ts';

const page = { operation: ['page'] };
const completion = { operation: ['completion'] };
const limited = { limitWaitTime: [true] };

/** Milliseconds. An end that nobody looks at does not keep its execution waiting for ever. */
const ENDING_TIME = 3_600_000;

export const form: NodeType = {
  name: 'n8n-nodes-base.form',
  label: 'Form',
  description: 'Shows a further page of a form, or its end.',
  group: 'flow',
  versions: [1, 2.3, 2.4, 2.5],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    choice('operation', 'Page Type', 'page', {
      literal: true,
      options: { page: 'Next Form Page', completion: 'Form Ending' },
    }),
    choice('defineForm', 'Define Form', 'fields', {
      literal: true,
      show: page,
      options: { fields: 'Using Fields Below', json: 'Using JSON' },
    }),
    jsonText('jsonOutput', 'Form Fields', { rows: 5, show: { ...page, defineForm: ['json'] } }),
    formFieldsParameter({ show: { ...page, defineForm: ['fields'] } }),
    choice('respondWith', 'On n8n Form Submission', 'text', {
      literal: true,
      show: completion,
      options: {
        text: 'Show Completion Screen',
        redirect: 'Redirect to URL',
        showText: 'Show Text',
        returnBinary: 'Return Binary File',
      },
    }),
    text('redirectUrl', 'URL', { required: true, show: { ...completion, respondWith: ['redirect'] } }),
    text('completionTitle', 'Completion Title', {
      required: true,
      show: { ...completion, respondWith: ['text', 'returnBinary'] },
    }),
    text('completionMessage', 'Completion Message', {
      rows: 2,
      show: { ...completion, respondWith: ['text', 'returnBinary'] },
    }),
    text('responseText', 'Text', { rows: 2, show: { ...completion, respondWith: ['showText'] } }),
    text('inputDataFieldName', 'Input Data Field Name', {
      default: 'data',
      show: { ...completion, respondWith: ['returnBinary'] },
    }),
    flag('limitWaitTime', 'Limit Wait Time'),
    choice('limitType', 'Limit Type', 'afterTimeInterval', {
      show: limited,
      options: { afterTimeInterval: 'After Time Interval', atSpecifiedTime: 'At Specified Time' },
    }),
    number('resumeAmount', 'Amount', 1, {
      minimum: 0,
      show: { ...limited, limitType: ['afterTimeInterval'] },
    }),
    choice('resumeUnit', 'Unit', 'hours', {
      show: { ...limited, limitType: ['afterTimeInterval'] },
      options: { minutes: 'Minutes', hours: 'Hours', days: 'Days' },
    }),
    date('maxDateAndTime', 'Max Date and Time', { show: { ...limited, limitType: ['atSpecifiedTime'] } }),
    options({
      show: page,
      fields: [
        text('formTitle', 'Form Title'),
        text('formDescription', 'Form Description'),
        buttonOption,
        cssOption,
      ],
    }),
    options({
      show: completion,
      fields: [text('formTitle', 'Form Title'), attributionOption, cssOption],
    }),
  ],
  async execute(context) {
    const isEnding = context.literal('operation') === 'completion';
    context.memory[PAGE_KEY] = isEnding ? await readEnding(context) : await readPage(context);
    const limit = (await readWaitLimit(context)) ?? (isEnding ? context.now() + ENDING_TIME : undefined);
    context.wait({ kind: 'webhook', form: true, ...(limit !== undefined && { limit }) });
    return [context.items()];
  },
};
