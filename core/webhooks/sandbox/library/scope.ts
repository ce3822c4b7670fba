/** The variables of expressions and Code nodes, over what the server packed for them. */
import type { ItemPack, NodePack, Origin, SharedPack } from '../../expressions/pack.ts';
import { Fault } from './fault.ts';

interface Item {
  json: Record<string, unknown>;
  binary?: Record<string, unknown>;
  pairedItem?: unknown;
}

interface Fixed {
  execution: Record<string, unknown> & { id: string; resumeUrl: string };
  workflow: unknown;
  mode: string;
  nodeId: string;
  nodeName: string;
  nodeVersion: number;
  webhookId?: string;
  parameters: Record<string, unknown>;
  rawParameters: Record<string, unknown>;
  prevNode: unknown;
  runIndex: number;
  vars: unknown;
  extra?: Record<string, unknown>;
}

let shared: SharedPack;
let fixed: Fixed;
let current: ItemPack;
/** Parsed once for each item, so that what one expression changes no other sees. */
let parsed = new Map<string, unknown>();

/** Begins a batch. */
export function setShared(pack: SharedPack): void {
  shared = pack;
  fixed = JSON.parse(pack.scope) as Fixed;
}

/** Begins an item. */
export function setItem(pack: ItemPack): void {
  current = pack;
  parsed = new Map();
}

export function runsOf(name: string): NodePack['runs'] {
  const runs = nodeOf(name).runs;
  if (runs.some((outputs) => outputs.length > 0)) return runs;
  throw new Fault(
    `Node '${name}' hasn't been executed`,
    `An expression references the node '${name}', but it hasn't been executed yet. Change the expression, or re-wire the workflow so that the node runs before.`,
  );
}

function nodeOf(name: string): NodePack {
  const pack = Object.hasOwn(shared.nodes, name) ? shared.nodes[name] : undefined;
  if (pack) return pack;
  throw new Fault(
    "Referenced node doesn't exist",
    `The node '${name}' doesn't exist, but it's used in an expression here.`,
  );
}

function once<T>(key: string, text: string | null | undefined): T {
  if (!parsed.has(key)) parsed.set(key, text == null ? undefined : JSON.parse(text));
  return parsed.get(key) as T;
}

function itemsOf(name: string, output?: number, run?: number): Item[] {
  const runs = runsOf(name);
  const { hop } = nodeOf(name);
  const at = [name, run ?? hop.run, output ?? hop.output] as const;
  return once<Item[] | undefined>(`node:${at.join(':')}`, runs[at[1]]?.[at[2]]) ?? [];
}

function itemAt(name: string, origin: Origin | undefined): Item {
  runsOf(name);
  if (!origin) throw new Fault(`Paired item data for item from node '${name}' is unavailable`);
  if ('error' in origin) throw new Fault(origin.error, origin.description);
  return itemsOf(name, origin.output, origin.run)[origin.index]!;
}

/** The items of the first input that has some. */
export function inputItems(): Item[] {
  const texts = shared.inputs ?? [];
  const index = Math.max(
    0,
    texts.findIndex((text) => text !== null && text !== '[]'),
  );
  return once<Item[] | undefined>(`input:${index}`, texts[index]) ?? [];
}

export function currentItem(): Item {
  const binary = once<Record<string, unknown>>('binary', current.binary);
  const item: Item = { json: once('json', current.json) };
  if (Object.keys(binary).length > 0) item.binary = binary;
  item.pairedItem = { item: current.index };
  return item;
}

/** `$('Name')` */
export function nodeProxy(name: unknown): unknown {
  const key = String(name);
  nodeOf(key);
  return {
    get item() {
      return itemAt(key, current.origins[key]);
    },
    pairedItem: (index = current.index) => matching(key, index),
    itemMatching: (index = current.index) => matching(key, index),
    first: (output?: number, run?: number) => itemsOf(key, output, run)[0],
    last: (output?: number, run?: number) => itemsOf(key, output, run).at(-1),
    all: (output?: number, run?: number) => itemsOf(key, output, run),
    get isExecuted() {
      return nodeOf(key).runs.some((outputs) => outputs.length > 0);
    },
    get params() {
      return once(`params:${key}`, nodeOf(key).parameters);
    },
    get context() {
      return once(`context:${key}`, nodeOf(key).context);
    },
  };
}

function matching(name: string, index: number): Item {
  return itemAt(name, index === current.index ? current.origins[name] : shared.origins?.[name]?.[index]);
}

/** `$node['Name']`: the item with the index of the current one. */
function olderProxy(name: string): unknown {
  const same = () => {
    const items = itemsOf(name);
    const item = items[current.index];
    if (item) return item;
    throw new Fault(
      `"${name}" node has ${items.length} item(s) but you're trying to access item ${current.index}`,
    );
  };
  nodeOf(name);
  return {
    get json() {
      return same().json;
    },
    get binary() {
      return same().binary ?? {};
    },
    get context() {
      return once(`context:${name}`, nodeOf(name).context);
    },
    get parameter() {
      return once(`params:${name}`, nodeOf(name).parameters);
    },
    get runIndex() {
      return nodeOf(name).hop.run;
    },
  };
}

const refuseEnvironment = () => {
  throw new Fault(
    'access to env vars denied',
    'Workflows cannot see the environment of the server. Keep such values in a credential or in the workflow.',
  );
};

/** One getter for each variable. */
export const variables: Record<string, () => unknown> = {
  $: () => nodeProxy,
  $binary: () => once('binary', current.binary),
  $data: () => once('json', current.json),
  $env: () => new Proxy({}, { get: refuseEnvironment, has: refuseEnvironment, ownKeys: refuseEnvironment }),
  $execution: () => fixed.execution,
  $executionId: () => fixed.execution.id,
  $input: () => input,
  $item: () => (index: number) => ({ $json: inputItems()[index]?.json, $node: nodes }),
  $itemIndex: () => current.index,
  $items: () => (name?: string, output?: number, run?: number) =>
    name === undefined ? inputItems() : itemsOf(name, output ?? 0, run),
  $json: () => once('json', current.json),
  $mode: () => fixed.mode,
  $node: () => nodes,
  $nodeId: () => fixed.nodeId,
  $nodeVersion: () => fixed.nodeVersion,
  $pageCount: () => fixed.extra?.$pageCount,
  $parameter: () => fixed.parameters,
  $position: () => current.index,
  $prevNode: () => fixed.prevNode,
  $rawParameter: () => fixed.rawParameters,
  $request: () => fixed.extra?.$request,
  $response: () => fixed.extra?.$response,
  $resumeWebhookUrl: () => fixed.execution.resumeUrl,
  $runIndex: () => fixed.runIndex,
  $secrets: () => undefined,
  $self: () => ({}),
  $thisItem: () => currentItem(),
  $thisItemIndex: () => current.index,
  $thisRunIndex: () => fixed.runIndex,
  $vars: () => fixed.vars,
  $webhookId: () => fixed.webhookId,
  $workflow: () => fixed.workflow,
};

const nodes = new Proxy({} as Record<string, unknown>, {
  get: (_target, name) => (typeof name === 'string' ? olderProxy(name) : undefined),
  has: (_target, name) => Object.hasOwn(shared.nodes, name),
  ownKeys: () => Object.keys(shared.nodes),
  getOwnPropertyDescriptor: (_target, name) =>
    Object.hasOwn(shared.nodes, name)
      ? { configurable: true, enumerable: true, value: undefined }
      : undefined,
});

const input = {
  get item() {
    return currentItem();
  },
  first: () => inputItems()[0],
  last: () => inputItems().at(-1),
  all: () => inputItems(),
  get params() {
    return fixed.parameters;
  },
  get context() {
    return once(`context:${fixed.nodeName}`, shared.nodes[fixed.nodeName]?.context ?? '{}');
  },
};
