import type { Parameter } from '#core/webhooks/workflow/node-type.ts';

export const executeWorkflowParameters: Parameter[] = [
  {
    name: 'source',
    label: 'Source',
    type: 'options',
    default: 'database',
    literal: true,
    options: [
      { value: 'database', label: 'Database', description: 'A workflow of this server.' },
      { value: 'parameter', label: 'Define Below', description: 'A workflow given here as JSON.' },
      { value: 'url', label: 'URL', description: 'A workflow fetched from an address.' },
    ],
  },
  {
    name: 'workflowId',
    label: 'Workflow ID',
    type: 'string',
    default: '',
    required: true,
    versions: { to: 1 },
    show: { source: ['database'] },
  },
  {
    name: 'workflowId',
    label: 'Workflow',
    type: 'workflow',
    default: { __rl: true, mode: 'list', value: '' },
    required: true,
    versions: { from: 1.1 },
    show: { source: ['database'] },
  },
  {
    name: 'workflowJson',
    label: 'Workflow JSON',
    type: 'json',
    default: '\n\n\n',
    rows: 10,
    show: { source: ['parameter'] },
  },
  {
    name: 'workflowUrl',
    label: 'Workflow URL',
    type: 'string',
    default: '',
    required: true,
    show: { source: ['url'] },
  },
  {
    name: 'workflowInputs',
    label: 'Workflow Inputs',
    type: 'json',
    default: {},
    versions: { from: 1.2 },
    show: { source: ['database'] },
    description:
      'What the called workflow gets: `{ mappingMode: "defineBelow", value: { field: … } }`, or the items as they are.',
  },
  {
    name: 'mode',
    label: 'Mode',
    type: 'options',
    default: 'once',
    literal: true,
    options: [
      { value: 'once', label: 'Run once with all items' },
      { value: 'each', label: 'Run once for each item' },
    ],
  },
  {
    name: 'options',
    label: 'Options',
    type: 'collection',
    default: {},
    fields: [
      {
        name: 'waitForSubWorkflow',
        label: 'Wait For Sub-Workflow Completion',
        type: 'boolean',
        default: true,
      },
    ],
  },
];
