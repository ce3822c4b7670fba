/** Makes a trigger of a service's description that looks for new items. */
import { isObject } from '#core/base';
import { getPath, type Item, type JsonObject } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import type { Poll } from '../../node-api/poll.ts';
import { ruleIssues, timesParameter, timesRules } from '../triggers/old-schedules/poll-times.ts';
import { callWithoutItem, credentialsOf, unsupportedIssue } from './access.ts';
import type { Look, PollDescription, ServiceBase } from './description.ts';
import { parametersOf } from './fields.ts';
import { fill } from './fill.ts';
import { chosenVariant, detailOf, findElements, isKept, outputOf } from './run-operation.ts';
import { scopeOf } from './scope.ts';
import type { ServiceCall } from './service-call.ts';

/** Milliseconds by which looks overlap: clocks differ, and services list new elements late. */
const OVERLAP = 600_000;
const DAY = 86_400_000;

export function pollNode(service: PollDescription): NodeType {
  return pollingType(service, {
    poll: async (call, memory) => lookForNew(service, call, memory),
    sample: async (call) => {
      const found = await sampleOf(service, call);
      if (found.length === 0) throw new NodeError('No data with the current filter could be found');
      return found;
    },
  });
}

/** How a trigger of a service looks for items. */
export interface Looks {
  poll(call: ServiceCall, memory: JsonObject): ReturnType<Poll>;
  /** The items of a run that starts in the editor. */
  sample(call: ServiceCall): Promise<Item[]>;
}

export function pollingType(
  service: ServiceBase & Pick<PollDescription, 'unsupported'>,
  looks: Looks,
): NodeType {
  const { name, label, description, versions, fields = {}, unsupported } = service;
  const type: NodeType = {
    name,
    label,
    description,
    group: 'trigger',
    versions,
    inputs: 0,
    outputs: ['main'],
    credentials: credentialsOf(service),
    parameters: [
      timesParameter('pollTimes', 'Poll Times', { item: [{ mode: 'everyMinute' }] }),
      ...parametersOf(fields),
    ],
    issues: (settings) => {
      const issue = unsupportedIssue(label, unsupported, settings);
      return [...ruleIssues(timesRules(settings.get('pollTimes'))), ...(issue === undefined ? [] : [issue])];
    },
    execute: async (context) => [await looks.sample(await callWithoutItem(service, type, context))],
    poll: async (context, memory) => looks.poll(await callWithoutItem(service, type, context), memory),
  };
  return type;
}

async function lookForNew(
  { look: described, longest }: PollDescription,
  call: ServiceCall,
  memory: JsonObject,
): Promise<Item[]> {
  const now = call.context.now();
  const isFirst = memory.lastTimeChecked === undefined;
  const last = isFirst ? now : Date.parse(String(memory.lastTimeChecked)) || now;
  const since = Math.max(last - OVERLAP, longest === undefined ? 0 : now - longest * DAY);
  const window = { since: new Date(since).toISOString(), now: new Date(now).toISOString() };
  const values: JsonObject = { credential: call.credential, window, version: call.context.version };
  const look = await chosenVariant(described, scopeOf(call, values));
  const earlier = new Set(Array.isArray(memory.known) ? memory.known : []);
  const keys = new Set<string>();
  const items: Item[] = [];
  for (const element of await findElements(call, look, scopeOf(call, values))) {
    if (!isInWindow(element, look.time, since, now)) continue;
    const key = String(await fill(look.key, scopeOf(call, { ...values, found: element })));
    const isNew = !earlier.has(key) && !keys.has(key);
    keys.add(key);
    if (isNew && !isFirst) items.push(...(await itemsOf(call, look, element, values)));
  }
  memory.lastTimeChecked = window.now;
  memory.known = [...keys];
  return items;
}

function isInWindow(element: unknown, time: Look['time'], since: number, now: number): boolean {
  if (!time) return true;
  const at = Date.parse(String(getPath(element, time.path) ?? ''));
  return at >= since && (time.past !== true || at <= now);
}

/** The item of an element, or none. */
async function itemsOf(call: ServiceCall, look: Look, element: unknown, values: JsonObject): Promise<Item[]> {
  call.context.signal.throwIfAborted();
  const found = await detailOf(call, look, element, values);
  return (await isKept(call, look, found, values)) ? [await outputOf(call, look, found, values)] : [];
}

async function sampleOf({ look, sample }: PollDescription, call: ServiceCall): Promise<Item[]> {
  const values: JsonObject = {
    credential: call.credential,
    window: { isSample: true },
    version: call.context.version,
  };
  const scope = scopeOf(call, values);
  const { page: _page, ...chosen } = await chosenVariant(look, scope);
  const merged: Look = { ...chosen, query: { ...chosen.query, ...sample.query } };
  if (isObject(sample.body)) merged.body = { ...(chosen.body as JsonObject), ...sample.body };
  const [newest] = await findElements(call, merged, scope);
  return newest === undefined ? [] : itemsOf(call, { ...merged, keep: true }, newest, values);
}
