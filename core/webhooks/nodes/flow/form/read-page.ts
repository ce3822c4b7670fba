/** Reads the pages that nodes of a running execution show. */
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import { type JsonObject, nodeSettings } from '#core/workflow-format';
import { type FormEnding, type FormPage, readFormFields } from '../../../forms/form-page.ts';
import { parseJsonParameter } from '../../shared/parse-json.ts';
import { formTrigger } from '../../triggers/form-trigger.ts';

const text = (value: unknown) => (value === undefined || value === null ? '' : String(value));

/** The key of a waiting node's page in its memory. */
export const PAGE_KEY = 'formPage';

/** The page of a Form node, or of a Wait node that waits for a form. Its looks default to those of the trigger. */
export async function readPage(context: NodeContext): Promise<FormPage> {
  const options = (await context.parameter<JsonObject>('options', 0, {})) ?? {};
  const trigger = await triggerTexts(context);
  const submitted = ((options.respondWithOptions as JsonObject | undefined)?.values ?? {}) as JsonObject;
  return {
    kind: 'page',
    title: text(options.formTitle || (await context.parameter('formTitle', 0, ''))) || trigger.title,
    description:
      text(options.formDescription || (await context.parameter('formDescription', 0, ''))) ||
      trigger.description,
    button: text(options.buttonLabel) || trigger.button,
    fields: readFormFields(await formFieldValues(context)),
    css: text(options.customCss) || trigger.css,
    attribution:
      options.appendAttribution === undefined ? trigger.attribution : options.appendAttribution === true,
    submitted: {
      text: text(submitted.formSubmittedText) || 'Your response has been recorded',
      redirectUrl: submitted.respondWith === 'redirect' ? text(submitted.redirectUrl) : '',
    },
    localTime: trigger.localTime,
  };
}

/** The elements of a form, by fields or as JSON. @throws NodeError for JSON that is no list */
export async function formFieldValues(context: NodeContext): Promise<unknown> {
  if (context.literal<string>('defineForm', 'fields') !== 'json')
    return context.parameter('formFields.values', 0, []);
  const message = 'The JSON of the form fields is not valid';
  const fields = parseJsonParameter(await context.parameter('jsonOutput', 0, '[]'), message);
  if (Array.isArray(fields)) return fields;
  throw new NodeError(message, { description: 'It must be a list of elements.' });
}

/** The last page of a form. */
export async function readEnding(context: NodeContext): Promise<FormEnding> {
  const get = async (name: string) => text(await context.parameter(name, 0, ''));
  const options = (await context.parameter<JsonObject>('options', 0, {})) ?? {};
  const trigger = await triggerTexts(context);
  const respondWith = (await get('respondWith')) as FormEnding['respondWith'];
  const ending: FormEnding = {
    kind: 'ending',
    respondWith,
    formTitle: text(options.formTitle) || trigger.title,
    title: await get('completionTitle'),
    message: await get('completionMessage'),
    redirectUrl: await get('redirectUrl'),
    responseText: await get('responseText'),
    css: text(options.customCss) || trigger.css,
    attribution: options.appendAttribution !== false && trigger.attribution,
  };
  if (respondWith !== 'returnBinary') return ending;
  const name = (await get('inputDataFieldName')) || 'data';
  const file = context.binary.require(context.items()[0], name, 0);
  const bytes = await context.binary.bytes(file);
  return {
    ...ending,
    file: { name: file.fileName ?? name, type: file.mimeType, base64: base64Of(bytes) },
  };
}

function base64Of(bytes: Uint8Array): string {
  let binary = '';
  for (let from = 0; from < bytes.length; from += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(from, from + 0x8000));
  }
  return btoa(binary);
}

/** The looks of the workflow's form trigger. */
async function triggerTexts(context: NodeContext) {
  const node = context.workflow.nodes.find(({ type, disabled }) => type === formTrigger.name && !disabled);
  const { get } = node ? nodeSettings(formTrigger, node) : { get: () => undefined };
  const evaluate = async (path: string) => text(await context.evaluate(get(path) ?? '', 0).catch(() => ''));
  return {
    title: await evaluate('formTitle'),
    description: await evaluate('formDescription'),
    button: (await evaluate('options.buttonLabel')) || 'Submit',
    css: await evaluate('options.customCss'),
    attribution: get('options.appendAttribution') !== false,
    localTime: get('options.useWorkflowTimezone') === true,
  };
}
