/** Starts a workflow when its form is submitted. The form is a page at an address of its own. */
import type { NodeType } from '../../node-api/node-type.ts';
import { choice, flag, options, text } from '../shared/parameters.ts';
import {
  attributionOption,
  buttonOption,
  cssOption,
  formFieldsParameter,
  submittedOptions,
} from './form/parameters.ts';

export const formTrigger: NodeType = {
  name: 'n8n-nodes-base.formTrigger',
  label: 'Form Trigger',
  description: 'Starts the workflow when its form is submitted.',
  group: 'trigger',
  versions: [1, 2, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6],
  inputs: 0,
  outputs: ['main'],
  credentials: [{ type: 'httpBasicAuth', required: true, show: { authentication: ['basicAuth'] } }],
  parameters: [
    choice('authentication', 'Authentication', 'none', {
      literal: true,
      versions: { from: 2 },
      options: { none: 'None', basicAuth: 'Basic Auth' },
    }),
    text('path', 'Form Path', { literal: true, versions: { to: 2.1 } }),
    text('formTitle', 'Form Title', { required: true }),
    text('formDescription', 'Form Description', { rows: 2 }),
    formFieldsParameter(),
    choice('responseMode', 'Respond When', 'onReceived', {
      literal: true,
      options: {
        onReceived: 'Form Is Submitted',
        lastNode: 'Workflow Finishes',
        responseNode: "Using 'Respond to Webhook' Node",
      },
    }),
    options({
      fields: [
        attributionOption,
        buttonOption,
        text('formSubmittedText', 'Form Submitted Text', {
          default: 'Your response has been recorded',
          versions: { to: 1 },
        }),
        text('ipWhitelist', 'IP(s) Allowlist', { placeholder: '127.0.0.1, 10.0.0.0/8' }),
        text('path', 'Form Path', { literal: true, versions: { from: 2.2 } }),
        submittedOptions,
        flag('ignoreBots', 'Ignore Bots'),
        flag('useWorkflowTimezone', 'Use Workflow Timezone', { versions: { from: 2 } }),
        cssOption,
      ],
    }),
  ],
  issues: ({ get }) =>
    ['none', 'basicAuth'].includes(String(get('authentication') ?? 'none'))
      ? []
      : [
          `The authentication "${String(get('authentication'))}" is not supported here: use Basic Auth or None`,
        ],
  // A submitted form supplies the item. A run that starts in the editor has an empty one.
  execute: async (context) => [context.items()],
};
