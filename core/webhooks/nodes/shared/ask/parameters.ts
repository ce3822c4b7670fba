/** The parameters of nodes that ask a person and wait for the answer: "Send and Wait for Response". */
import type { Parameter, ShowConditions } from '#core/workflow-format';
import { formFieldsParameter } from '../../triggers/form/parameters.ts';
import {
  choice,
  date,
  fixedCollection,
  flag,
  group,
  jsonText,
  number,
  options,
  text,
} from '../parameters.ts';

const UNITS = { minutes: 'Minutes', hours: 'Hours', days: 'Days' };
const STYLES = { primary: 'Primary', secondary: 'Secondary' };

const limit = fixedCollection('limitWaitTime', 'Limit Wait Time', {
  groups: [
    group('values', 'Values', [
      choice('limitType', 'Limit Type', 'afterTimeInterval', {
        options: { afterTimeInterval: 'After Time Interval', atSpecifiedTime: 'At Specified Time' },
      }),
      number('resumeAmount', 'Amount', 45, { minimum: 0, show: { limitType: ['afterTimeInterval'] } }),
      choice('resumeUnit', 'Unit', 'minutes', {
        options: UNITS,
        show: { limitType: ['afterTimeInterval'] },
      }),
      date('maxDateAndTime', 'Max Date and Time', { show: { limitType: ['atSpecifiedTime'] } }),
    ]),
  ],
});

const approvalFields = [
  choice('approvalType', 'Type of Approval', 'single', {
    options: { single: 'Approve Only', double: 'Approve and Disapprove' },
  }),
  text('approveLabel', 'Approve Button Label', { default: 'Approve' }),
  choice('buttonApprovalStyle', 'Approve Button Style', 'primary', { options: STYLES }),
  text('disapproveLabel', 'Disapprove Button Label', {
    default: 'Decline',
    show: { approvalType: ['double'] },
  }),
  choice('buttonDisapprovalStyle', 'Disapprove Button Style', 'secondary', {
    options: STYLES,
    show: { approvalType: ['double'] },
  }),
];

/** @param show when the node asks */
export function askParameters(show: ShowConditions): Parameter[] {
  const isForm = { ...show, responseType: ['customForm'] };
  return [
    text('message', 'Message', { rows: 4, required: true, show }),
    choice('responseType', 'Response Type', 'approval', {
      show,
      options: { approval: 'Approval', freeText: 'Free Text', customForm: 'Custom Form' },
    }),
    fixedCollection('approvalOptions', 'Approval Options', {
      show: { ...show, responseType: ['approval'] },
      groups: [group('values', 'Values', approvalFields)],
    }),
    choice('defineForm', 'Define Form', 'fields', {
      show: isForm,
      options: { fields: 'Using Fields Below', json: 'Using JSON' },
    }),
    jsonText('jsonOutput', 'Form Fields', { show: { ...isForm, defineForm: ['json'] } }),
    formFieldsParameter({ show: { ...isForm, defineForm: ['fields'] } }),
    options({
      show,
      fields: [
        limit,
        flag('appendAttribution', 'Append Attribution', { default: true }),
        text('messageButtonLabel', 'Message Button Label', { default: 'Respond' }),
        text('responseFormTitle', 'Response Form Title'),
        text('responseFormDescription', 'Response Form Description'),
        text('responseFormButtonLabel', 'Response Form Button Label', { default: 'Submit' }),
      ],
    }),
  ];
}
