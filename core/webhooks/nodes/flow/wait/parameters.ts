import type { Parameter } from '#core/workflow-format';
import { choice, date, flag, number, options, text } from '../../shared/parameters.ts';
import {
  attributionOption,
  buttonOption,
  cssOption,
  formFieldsParameter,
  submittedOptions,
} from '../../triggers/form/parameters.ts';
import { webhookOptionParameters } from '../../triggers/webhook/options.ts';
import { AUTHENTICATION, METHODS, responseParameters } from '../../triggers/webhook/parameters.ts';

const UNITS = { seconds: 'Seconds', minutes: 'Minutes', hours: 'Hours', days: 'Days' };
const INTERVAL = { resume: ['timeInterval'] };
const BY_CALL = { resume: ['webhook'] };
const BY_FORM = { resume: ['form'] };
const BY_EITHER = { resume: ['webhook', 'form'] };
const LIMITED = { ...BY_EITHER, limitWaitTime: [true] };

export const waitParameters: Parameter[] = [
  choice('resume', 'Resume', 'timeInterval', {
    literal: true,
    options: {
      timeInterval: 'After Time Interval',
      specificTime: 'At Specified Time',
      webhook: 'On Webhook Call',
      form: 'On Form Submitted',
    },
  }),
  date('dateTime', 'Date and Time', { required: true, show: { resume: ['specificTime'] } }),
  number('amount', 'Wait Amount', 1, { minimum: 0, versions: { to: 1 }, show: INTERVAL }),
  number('amount', 'Wait Amount', 5, { minimum: 0, versions: { from: 1.1 }, show: INTERVAL }),
  choice('unit', 'Wait Unit', 'hours', { versions: { to: 1 }, options: UNITS, show: INTERVAL }),
  choice('unit', 'Wait Unit', 'seconds', { versions: { from: 1.1 }, options: UNITS, show: INTERVAL }),
  choice('httpMethod', 'HTTP Method', 'GET', {
    literal: true,
    options: METHODS,
    show: BY_CALL,
    description: 'The method of the call that resumes the execution. Its address is $execution.resumeUrl.',
  }),
  choice('incomingAuthentication', 'Authentication', 'none', {
    literal: true,
    options: AUTHENTICATION,
    show: BY_CALL,
  }),
  choice('incomingAuthentication', 'Authentication', 'none', {
    literal: true,
    options: { none: 'None', basicAuth: 'Basic Auth' },
    show: BY_FORM,
  }),
  text('formTitle', 'Form Title', { required: true, show: BY_FORM }),
  text('formDescription', 'Form Description', { rows: 2, show: BY_FORM }),
  formFieldsParameter({ show: BY_FORM }),
  ...responseParameters({
    mode: { show: BY_CALL },
    code: { show: { ...BY_CALL, responseMode: ['onReceived', 'lastNode'] } },
    data: { show: { ...BY_CALL, responseMode: ['lastNode'] } },
    file: { show: { ...BY_CALL, responseMode: ['lastNode'], responseData: ['firstEntryBinary'] } },
  }),
  flag('limitWaitTime', 'Limit Wait Time', {
    show: BY_EITHER,
    description: 'Resumes without a call when the time has passed.',
  }),
  choice('limitType', 'Limit Type', 'afterTimeInterval', {
    options: { afterTimeInterval: 'After Time Interval', atSpecifiedTime: 'At Specified Time' },
    show: LIMITED,
  }),
  number('resumeAmount', 'Amount', 1, { minimum: 0, show: { ...LIMITED, limitType: ['afterTimeInterval'] } }),
  choice('resumeUnit', 'Unit', 'hours', {
    options: UNITS,
    show: { ...LIMITED, limitType: ['afterTimeInterval'] },
  }),
  date('maxDateAndTime', 'Max Date and Time', { show: { ...LIMITED, limitType: ['atSpecifiedTime'] } }),
  options({
    show: BY_CALL,
    fields: [
      text('webhookSuffix', 'Webhook Suffix', {
        placeholder: 'approved',
        description: 'Added to the address, so that one execution can wait at several nodes.',
      }),
      ...webhookOptionParameters,
    ],
  }),
  options({
    show: BY_FORM,
    fields: [attributionOption, buttonOption, cssOption, submittedOptions],
  }),
];
