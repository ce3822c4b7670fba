/** Asks a person: the message with its buttons, and the wait for the answer. */
import type { JsonObject } from '#core/workflow-format';
import { type FormField, readFormFields } from '../../../forms/form-page.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { formFieldValues, PAGE_KEY } from '../../flow/form/read-page.ts';
import { timeOfAmount, timeOfDate } from '../../flow/wait/read-limit.ts';

export interface Button {
  label: string;
  /** The address that answers. It is signed: who has it may answer. */
  url: string;
  isPrimary: boolean;
}

export interface Question {
  subject: string;
  message: string;
  buttons: Button[];
}

const text = (value: unknown) => String(value ?? '');

/** The question of the node, which is asked once for all items. */
export async function readQuestion(context: NodeContext): Promise<Question> {
  const message = text(await context.parameter('message', 0, '')).trim();
  return {
    subject: text(await context.parameter('subject', 0, '')),
    // Fields of older editors have line breaks as HTML or escaped.
    message: message.replace(/\\n|<br>/g, '\n'),
    buttons: await readButtons(context),
  };
}

async function readButtons(context: NodeContext): Promise<Button[]> {
  if (await isForm(context)) {
    const label = text(await context.parameter('options.messageButtonLabel', 0, '')) || 'Respond';
    const url = text(await context.evaluate('={{ $execution.resumeFormUrl }}', 0));
    return [{ label, url, isPrimary: true }];
  }
  const values = (await context.parameter<JsonObject>('approvalOptions.values', 0, {})) ?? {};
  const approve = {
    label: text(values.approveLabel) || 'Approve',
    url: await approvalAddress(context, true),
    isPrimary: values.buttonApprovalStyle !== 'secondary',
  };
  if (values.approvalType !== 'double') return [approve];
  const decline = {
    label: text(values.disapproveLabel) || 'Decline',
    url: await approvalAddress(context, false),
    isPrimary: values.buttonDisapprovalStyle === 'primary',
  };
  return [decline, approve];
}

/** With the node's id, so that the address of one question never answers a later one. */
async function approvalAddress(context: NodeContext, approved: boolean): Promise<string> {
  const url = new URL(text(await context.evaluate('={{ $execution.resumeUrl }}', 0)));
  url.pathname += `/${encodeURIComponent(context.node.id)}`;
  url.searchParams.set('approved', String(approved));
  return url.href;
}

/** Makes the execution wait for the answer, or for the limit of the options. */
export async function waitForAnswer(context: NodeContext): Promise<void> {
  const limit = await readLimit(context);
  const limited = limit === undefined ? {} : { limit };
  if (await isForm(context)) {
    context.memory[PAGE_KEY] = await answerPage(context);
    context.wait({ kind: 'webhook', form: true, ...limited });
  } else {
    context.wait({ kind: 'webhook', approval: true, suffix: context.node.id, ...limited });
  }
}

async function isForm(context: NodeContext): Promise<boolean> {
  const kind = await context.parameter('responseType', 0, 'approval');
  return kind === 'freeText' || kind === 'customForm';
}

/** The page on which the person answers. */
async function answerPage(context: NodeContext) {
  const options = (await context.parameter<JsonObject>('options', 0, {})) ?? {};
  const { message } = await readQuestion(context);
  return {
    kind: 'page',
    title: text(options.responseFormTitle),
    description: text(options.responseFormDescription) || message,
    button: text(options.responseFormButtonLabel) || 'Submit',
    fields: await answerFields(context),
    css: '',
    attribution: options.appendAttribution !== false,
    submitted: { text: 'Got it, thanks. This page can be closed now', redirectUrl: '' },
    localTime: false,
    isAnswer: true,
  };
}

async function answerFields(context: NodeContext): Promise<FormField[]> {
  if ((await context.parameter('responseType', 0)) === 'customForm')
    return readFormFields(await formFieldValues(context));
  const field = { fieldLabel: 'Response', fieldName: 'text', fieldType: 'textarea', requiredField: true };
  return readFormFields([field]);
}

/** Milliseconds since 1970. @throws NodeError for a time that is none */
async function readLimit(context: NodeContext): Promise<number | undefined> {
  const values = await context.parameter<JsonObject | undefined>(
    'options.limitWaitTime.values',
    0,
    undefined,
  );
  if (!values) return undefined;
  const {
    limitType = 'afterTimeInterval',
    resumeAmount = 45,
    resumeUnit = 'minutes',
    maxDateAndTime,
  } = values;
  return limitType === 'atSpecifiedTime'
    ? timeOfDate(context, maxDateAndTime)
    : timeOfAmount(context, resumeAmount, String(resumeUnit));
}
