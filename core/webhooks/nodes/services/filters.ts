/** The filters of templates: `$name|filter`. They convert values from how nodes store them to how services take them. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import { commaList } from '../shared/comma-list.ts';
import { objectList } from '../shared/object-list.ts';
import { parseJsonParameter } from '../shared/parse-json.ts';
import { toBase64 } from './file-value.ts';
import * as airtable from './filters/airtable.ts';
import { asanaFields } from './filters/asana.ts';
import * as baserow from './filters/baserow.ts';
import * as brevo from './filters/brevo.ts';
import * as clickup from './filters/clickup.ts';
import { discordEmbeds, discordFlags } from './filters/discord.ts';
import * as dropbox from './filters/dropbox.ts';
import * as gmail from './filters/gmail.ts';
import * as google from './filters/google.ts';
import * as contacts from './filters/google-contacts.ts';
import * as hubspot from './filters/hubspot.ts';
import * as mailchimp from './filters/mailchimp.ts';
import { oneDriveName, sharePointSimple } from './filters/microsoft.ts';
import * as n8n from './filters/n8n.ts';
import * as nocodb from './filters/nocodb.ts';
import {
  notionBlock,
  notionBlocks,
  notionFilters,
  notionProperties,
  notionSimple,
  notionSimpleOld,
  notionSorts,
  notionTitle,
} from './filters/notion.ts';
import * as odoo from './filters/odoo.ts';
import * as outlook from './filters/outlook.ts';
import * as perplexity from './filters/perplexity.ts';
import * as questions from './filters/questions.ts';
import * as quickbooks from './filters/quickbooks.ts';
import { slackFiles, telegramFiles } from './filters/received-files.ts';
import * as shopify from './filters/shopify.ts';
import * as social from './filters/social.ts';
import { stripeForm } from './filters/stripe.ts';
import * as supabase from './filters/supabase.ts';
import { telegramMarkup } from './filters/telegram-markup.ts';
import * as woocommerce from './filters/woocommerce.ts';

type Filter = (value: unknown, item: JsonObject) => unknown;

export const filters: Record<string, Filter> = {
  text: String,
  number: (value) => Number(value),
  list: commaList,
  /** Receivers of a mail, as one header. */
  mailList: (value) => commaList(value).join(', ') || undefined,
  joined: (value) => commaList(value).join(','),
  json: (value) => parseJsonParameter(value, 'The value is not valid JSON'),
  jsonText: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
  lower: (value) => String(value).toLowerCase(),
  iso: (value) => dateOf(value).toISOString(),
  unix: (value) => Math.floor(dateOf(value).getTime() / 1000),
  unixText: (value) => String(Math.floor(dateOf(value).getTime() / 1000)),
  withoutColons: (value) => String(value).replace(/^:|:$/g, ''),
  /** The blocks of Slack's block kit, with or without the object around them. */
  slackBlocks: (value) => {
    const parsed = parseJsonParameter(value, 'Blocks are not valid JSON');
    return isObject(parsed) && parsed.blocks !== undefined ? parsed.blocks : parsed;
  },
  withoutSign: (value) => String(value).replace(/^[@#]/, ''),
  /** The id in an address, or the value as it is. */
  googleId: (value) => idIn(value, /\/(?:d|folders)\/([\w-]+)/),
  notionId: (value) => notionId(String(value)),
  airtableBase: (value) => idIn(value, /airtable\.com\/(app\w+)/),
  airtableTable: (value) => idIn(value, /airtable\.com\/app\w+\/(tbl\w+)/),
  githubOwner: (value) => idIn(value, /github\.com\/([\w.-]+)/),
  githubRepository: (value) => idIn(value, /github\.com\/[\w.-]+\/([\w.-]+)/),
  discordId: (value) => idIn(value, /discord\.com\/channels\/[\w@]+\/?(\d+)?$/),
  names: (value) => pick(value, ['name', 'label', 'labels', 'assignee', 'value']),
  columns: (value, item) => mappedColumns(value, item),
  columnsWithoutId: (value, item) => without(mappedColumns(value, item), 'id'),
  columnsId: (value, item) => mappedColumns(value, item).id,
  /** The columns by which records are found, unless it is their id. */
  mergeColumns: (value) => {
    const columns = isObject(value) && Array.isArray(value.matchingColumns) ? value.matchingColumns : [];
    return columns.includes('id') || columns.length === 0 ? undefined : columns;
  },
  telegramMarkup,
  telegramFiles,
  slackFiles,
  notionTitle,
  notionProperties,
  notionBlocks,
  notionFilters,
  notionSorts,
  notionSimple,
  notionSimpleOld,
  notionBlock,
  discordEmbeds,
  discordFlags,
  ...questions,
  ...quickbooks,
  ...brevo,
  /** All updates have no list: Telegram's own choice. */
  telegramUpdates: (value) => (Array.isArray(value) && value.includes('*') ? [] : value),
  sheetProperties: (value) => (Array.isArray(value) ? value : []).map((properties) => ({ properties })),
  ...supabase,
  stripeForm,
  ...shopify,
  ...hubspot,
  /** Graph changes a task only if the caller knows its present state. */
  etag: (value) => (isObject(value) ? value['@odata.etag'] : undefined),
  /** Attachments of Slack whose fields are in a group. */
  slackAttachments: (value) =>
    (Array.isArray(value) ? value.filter(isObject) : []).map(({ fields, ...rest }) => {
      const list = isObject(fields) ? fields.item : undefined;
      return { ...rest, ...(list !== undefined && { fields: list }) };
    }),
  ...odoo,
  ...outlook,
  quotedText: (value) => JSON.stringify(String(value)),
  ...n8n,
  ids: (value) => (Array.isArray(value) ? value.map((id) => ({ id })) : undefined),
  /** Fields by their ids. */
  jiraFields: (value) => {
    const list = Array.isArray(value) ? (value as JsonObject[]) : [];
    return Object.fromEntries(
      list.map(({ fieldId, fieldValue }) => [
        String(isObject(fieldId) ? fieldId.value : fieldId),
        fieldValue,
      ]),
    );
  },
  whatsapp: (value) => `whatsapp:${String(value)}`,
  twiml: (value) => `<Response><Say>${escapeXml(String(value))}</Say></Response>`,
  ...gmail,
  ...social,
  /** A text between commas, where spaces count. */
  commas: (value) => (typeof value === 'string' ? value.split(',') : value),
  /** A switch that is only sent when it is on. */
  ifTrue: (value) => (value === true ? true : undefined),
  /** True for a collection without any field. */
  ifNone: (value) => (isObject(value) && Object.keys(value).length === 0 ? true : undefined),
  /** The server of Microsoft Graph, which some credentials name. */
  graphBase: (value) => (isObject(value) && value.graphApiBaseUrl) || 'https://graph.microsoft.com',
  /** A text between quotation marks of OData. */
  odataText: (value) => String(value).replaceAll("'", "''"),
  /** A version 4 UUID, which services use to know a request that is sent twice. */
  uuid: () => crypto.randomUUID(),
  oneDriveName,
  sharePointSimple,
  withoutMilliseconds: (value) => String(value).replace(/\.000Z$/, 'Z'),
  ...woocommerce,
  /** The cells in the address of a range. */
  afterBang: (value) => String(value).split('!').at(-1),
  ...baserow,
  mails: (value) => commaList(value).map((email) => ({ email })),
  /** Fields of a list `[{ key, value }]`. */
  keyed: (value) =>
    pairs(objectList(value).map(({ key, value: content }) => ({ name: key, value: content }))),
  trimmed: (value) => String(value).trim(),
  ...dropbox,
  ...nocodb,
  asanaFields: (value) => asanaFields(value),
  byFieldId: (value) =>
    pairs(objectList(value).map(({ fieldId, fieldValue }) => ({ name: fieldId, value: fieldValue }))),
  /** A text between quotation marks of a query of SendGrid. */
  sgqlText: (value) => String(value).replaceAll("'", "''"),
  ...clickup,
  millis: (value) => dateOf(value).getTime(),
  numbers: (value) => commaList(value).map(Number),
  ...mailchimp,
  ...contacts,
  short: (value) => String(value).slice(0, 10),
  ...perplexity,
  /** The lines of a text that have words. */
  lines: (value) =>
    String(value)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ifNotZero: (value) => value || undefined,
  commaSpaced: (value) => commaList(value).join(', '),
  asList: (value) => [value],
  slashAfter: (value) => `${value}/`,
  slashBefore: (value) => `/${value}`,
  /** Fields of a list `[{ name, value }]`. */
  pairs: (value) => pairs(value),
  /** An object, or nothing if it is not valid. */
  looseJson: (value) => looseJson(value),
  ...google,
  base64: (value) => toBase64(new TextEncoder().encode(String(value))),
  urlPath: (value) => pathOf(String(value)),
  lastPart: (value) => String(value).split('/').at(-1),
  githubEvent: (value) =>
    ({ approve: 'APPROVE', requestChanges: 'REQUEST_CHANGES', comment: 'COMMENT' })[String(value)],
  ...airtable,
  airtableSort: (value) => airtableSort(value),
  /** Fields of an optional group become fields of the element itself. */
  flatFields: (value) => flatFields(value),
};

/** The fields of a table that a node maps by hand, or that it takes from the item. */
export function mappedColumns(value: unknown, item: JsonObject): JsonObject {
  if (!isObject(value)) return {};
  if (value.mappingMode === 'autoMapInputData') return item;
  const fields = isObject(value.value) ? value.value : {};
  return Object.fromEntries(
    Object.entries(fields).filter(([, field]) => field !== null && field !== undefined),
  );
}

/** The indexed parameters of a query. */
function airtableSort(value: unknown): JsonObject {
  const list = Array.isArray(value) ? (value as JsonObject[]) : [];
  return Object.fromEntries(
    list.flatMap(({ field, direction = 'asc' }, index) => [
      [`sort[${index}][field]`, field],
      [`sort[${index}][direction]`, direction],
    ]),
  );
}

function pairs(value: unknown): JsonObject {
  return Object.fromEntries(objectList(value).map(({ name, value: content }) => [String(name), content]));
}

function looseJson(value: unknown): unknown {
  try {
    return typeof value === 'string' ? JSON.parse(value) : value;
  } catch {
    return undefined;
  }
}

/** One field of each element of a list. */
function pick(value: unknown, names: string[]): unknown {
  const list = Array.isArray(value) ? value : [value];
  return list.map((element) => {
    const name = isObject(element) ? names.find((candidate) => candidate in element) : undefined;
    return name === undefined ? element : (element as JsonObject)[name];
  });
}

function flatFields(value: unknown): unknown {
  const list = Array.isArray(value) ? (value as JsonObject[]) : [];
  return list.map(({ additionalFields, ...rest }) => ({
    ...rest,
    ...(isObject(additionalFields) && additionalFields),
  }));
}

function without(object: JsonObject, name: string): JsonObject {
  const { [name]: _left, ...rest } = object;
  return rest;
}

function idIn(value: unknown, pattern: RegExp): string {
  const text = String(value);
  return pattern.exec(text)?.[1] ?? text;
}

/** Addresses of pages end with 32 digits. */
function notionId(text: string): string {
  const path = text.split('?')[0]!;
  return /([\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12})$/i.exec(path)?.[1] ?? text;
}

function dateOf(value: unknown): Date {
  const date = new Date(typeof value === 'number' ? value : String(value));
  if (Number.isNaN(date.getTime())) throw new NodeError(`"${String(value)}" is not a date`);
  return date;
}

/** A path of a file, encoded. @throws NodeError for parts that lead out of it */
function pathOf(path: string): string {
  const parts = path.replace(/^\/+/, '').split('/');
  if (parts.some((part) => /^\.{1,2}$/.test(part))) throw new NodeError(`"${path}" is no path of a file`);
  return parts.map(encodeURIComponent).join('/');
}

function escapeXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
