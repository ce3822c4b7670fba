import type { Parameter } from '#core/workflow-format';
import { choice, flag, jsonText, options, text } from '../../shared/parameters.ts';

export const executeWorkflowParameters: Parameter[] = [
  choice('source', 'Source', 'database', {
    literal: true,
    options: [
      { value: 'database', label: 'Database', description: 'A workflow of this server.' },
      { value: 'parameter', label: 'Define Below', description: 'A workflow given here as JSON.' },
      { value: 'url', label: 'URL', description: 'A workflow fetched from an address.' },
    ],
  }),
  text('workflowId', 'Workflow ID', { required: true, versions: { to: 1 }, show: { source: ['database'] } }),
  {
    name: 'workflowId',
    label: 'Workflow',
    type: 'workflow',
    default: { __rl: true, mode: 'list', value: '' },
    required: true,
    versions: { from: 1.1 },
    show: { source: ['database'] },
  },
  jsonText('workflowJson', 'Workflow JSON', { default: '\n\n\n', rows: 10, show: { source: ['parameter'] } }),
  text('workflowUrl', 'Workflow URL', { required: true, show: { source: ['url'] } }),
  jsonText('workflowInputs', 'Workflow Inputs', {
    default: {},
    versions: { from: 1.2 },
    show: { source: ['database'] },
    description:
      'What the called workflow gets: `{ mappingMode: "defineBelow", value: { field: … } }`, or the items as they are.',
  }),
  choice('mode', 'Mode', 'once', {
    literal: true,
    options: { once: 'Run once with all items', each: 'Run once for each item' },
  }),
  options({ fields: [flag('waitForSubWorkflow', 'Wait For Sub-Workflow Completion', { default: true })] }),
];
