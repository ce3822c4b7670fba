/** The variables of expressions and Code nodes. They read the data that the server packed. */
import type { ItemPack, NodePack, Origin, SharedPack } from '../../expressions/pack-scope.ts';
import { ReportedError } from './reported-error.ts';

interface Item {
  json: Record<string, unknown>;
  binary?: Record<string, unknown>;
  pairedItem?: unknown;
}

/** The data that is the same for every item. */
interface ScopeData {
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
let scope: ScopeData;
let current: ItemPack;
/** Parsed data by key, for one item: no expression sees what another one changed. */
let parsed = new Map<string, unknown>();

/** Sets the data of a batch. */
export function setShared(pack: SharedPack): void {
  shared = pack;
  scope = JSON.parse(pack.scope) as ScopeData;
}

/** Sets the current item. */
export function setItem(pack: ItemPack): void {
  current = pack;
  parsed = new Map();
}

/** The runs of a node. Throws a ReportedError when it did not run, or does not exist. */
function runsOf(name: string): NodePack['runs'] {
  const runs = nodeOf(name).runs;
  if (runs.some((outputs) => outputs.length > 0)) return runs;
  throw new ReportedError(
    `Node '${name}' hasn't been executed`,
    `An expression references the node '${name}', but it hasn't been executed yet. Change the expression, or re-wire the workflow so that the node runs before.`,
  );
}

function nodeOf(name: string): NodePack {
  const pack = Object.hasOwn(shared.nodes, name) ? shared.nodes[name] : undefined;
  if (pack) return pack;
  throw new ReportedError(
    "Referenced node doesn't exist",
    `The node '${name}' doesn't exist, but it's used in an expression here.`,
  );
}

/** Parses JSON at the first use for the current item. */
function parseOnce<T>(key: string, text: string | null | undefined): T {
  if (!parsed.has(key)) parsed.set(key, text == null ? undefined : JSON.parse(text));
  return parsed.get(key) as T;
}

function itemsOf(name: string, output?: number, run?: number): Item[] {
  const runs = runsOf(name);
  const { source } = nodeOf(name);
  const runIndex = run ?? source.run;
  const outputIndex = output ?? source.output;
  const key = `node:${name}:${runIndex}:${outputIndex}`;
  return parseOnce<Item[] | undefined>(key, runs[runIndex]?.[outputIndex]) ?? [];
}

function itemAt(name: string, origin: Origin | undefined): Item {
  runsOf(name);
  if (!origin) throw new ReportedError(`Paired item data for item from node '${name}' is unavailable`);
  if ('error' in origin) throw new ReportedError(origin.error, origin.description);
  return itemsOf(name, origin.output, origin.run)[origin.index]!;
}

/** The items of the first input that has any. */
export function inputItems(): Item[] {
  const texts = shared.inputs ?? [];
  const index = Math.max(
    0,
    texts.findIndex((text) => text !== null && text !== '[]'),
  );
  return parseOnce<Item[] | undefined>(`input:${index}`, texts[index]) ?? [];
}

/** The current item. Its binary data is left out when there is none, as in stored items. */
export function currentItem(): Item {
  const binary = parseOnce<Record<string, unknown>>('binary', current.binary);
  const item: Item = { json: parseOnce('json', current.json) };
  if (Object.keys(binary).length > 0) item.binary = binary;
  item.pairedItem = { item: current.index };
  return item;
}

/** `$('Name')` */
function nodeProxy(name: unknown): unknown {
  const key = String(name);
  nodeOf(key);
  return {
    get item() {
      return itemAt(key, current.origins[key]);
    },
    pairedItem: (index = current.index) => itemMatching(key, index),
    itemMatching: (index = current.index) => itemMatching(key, index),
    first: (output?: number, run?: number) => itemsOf(key, output, run)[0],
    last: (output?: number, run?: number) => itemsOf(key, output, run).at(-1),
    all: (output?: number, run?: number) => itemsOf(key, output, run),
    get isExecuted() {
      return nodeOf(key).runs.some((outputs) => outputs.length > 0);
    },
    get params() {
      return parseOnce(`params:${key}`, nodeOf(key).parameters);
    },
    get context() {
      return parseOnce(`context:${key}`, nodeOf(key).context);
    },
  };
}

function itemMatching(name: string, index: number): Item {
  return itemAt(name, index === current.index ? current.origins[name] : shared.origins?.[name]?.[index]);
}

/** `$node['Name']`: reads the item with the index of the current one, or with that of `$item(index)`. */
function legacyNodeProxy(name: string, itemIndex: number): unknown {
  const sameIndexItem = () => {
    const items = itemsOf(name);
    const item = items.at(itemIndex);
    if (item) return item;
    throw new ReportedError(
      `"${name}" node has ${items.length} item(s) but you're trying to access item ${itemIndex}`,
    );
  };
  nodeOf(name);
  return {
    get json() {
      return sameIndexItem().json;
    },
    /** The name of `json` in the oldest workflows. */
    get data() {
      return sameIndexItem().json;
    },
    get binary() {
      return sameIndexItem().binary ?? {};
    },
    get context() {
      return parseOnce(`context:${name}`, nodeOf(name).context);
    },
    get parameter() {
      return parseOnce(`params:${name}`, nodeOf(name).parameters);
    },
    get runIndex() {
      return nodeOf(name).source.run;
    },
  };
}

/** `$fromAI('name', …)`: an argument of the model that calls the node as a tool. */
function fromAI(name: unknown, _description?: unknown, _type?: unknown, fallback?: unknown): unknown {
  const json = parseOnce<Record<string, unknown>>('json', current.json);
  const { query } = json;
  const args = [typeof query === 'object' && query !== null ? (query as typeof json) : undefined, json];
  const holder = args.find((object) => object && Object.hasOwn(object, String(name)));
  return holder?.[String(name)] ?? fallback;
}

const refuseEnvironment = () => {
  throw new ReportedError(
    'access to env vars denied',
    'Workflows cannot see the environment of the server. Keep such values in a credential or in the workflow.',
  );
};

/** A getter for each variable. */
export const variables: Record<string, () => unknown> = {
  $: () => nodeProxy,
  $binary: () => parseOnce('binary', current.binary),
  $data: () => parseOnce('json', current.json),
  $env: () => new Proxy({}, { get: refuseEnvironment, has: refuseEnvironment, ownKeys: refuseEnvironment }),
  $execution: () => scope.execution,
  $executionId: () => scope.execution.id,
  $fromAI: () => fromAI,
  $fromAi: () => fromAI,
  $fromai: () => fromAI,
  $input: () => input,
  $item: () => (index: unknown) => legacyItem(Number(index)),
  $itemIndex: () => current.index,
  $items: () => (name?: string, output?: number, run?: number) =>
    name === undefined ? inputItems() : itemsOf(name, output ?? 0, run),
  $json: () => parseOnce('json', current.json),
  $mode: () => scope.mode,
  $node: () => nodes,
  $nodeId: () => scope.nodeId,
  $nodeVersion: () => scope.nodeVersion,
  $pageCount: () => scope.extra?.$pageCount,
  $parameter: () => scope.parameters,
  $position: () => current.index,
  $prevNode: () => scope.prevNode,
  $rawParameter: () => scope.rawParameters,
  $request: () => scope.extra?.$request,
  $response: () => scope.extra?.$response,
  $resumeWebhookUrl: () => scope.execution.resumeUrl,
  $runIndex: () => scope.runIndex,
  $secrets: () => undefined,
  $self: () => ({}),
  $thisItem: () => currentItem(),
  $thisItemIndex: () => current.index,
  $thisRunIndex: () => scope.runIndex,
  $vars: () => scope.vars,
  $webhookId: () => scope.webhookId,
  $workflow: () => scope.workflow,
};

/** `$item(index)`: the input item, and the items of other nodes, with this index. Texts such as "0" are indexes, too. */
function legacyItem(index: number): unknown {
  const item = inputItems().at(index);
  return {
    $json: item?.json,
    $data: item?.json,
    $binary: item?.binary ?? {},
    $node: nodesAt(() => index),
    $items: variables.$items!(),
    $itemIndex: index,
  };
}

/** `$node`, with the item that its nodes read. */
const nodesAt = (itemIndex: () => number) =>
  new Proxy({} as Record<string, unknown>, {
    get: (_target, name) => (typeof name === 'string' ? legacyNodeProxy(name, itemIndex()) : undefined),
    has: (_target, name) => Object.hasOwn(shared.nodes, name),
    ownKeys: () => Object.keys(shared.nodes),
    getOwnPropertyDescriptor: (_target, name) =>
      Object.hasOwn(shared.nodes, name)
        ? { configurable: true, enumerable: true, value: undefined }
        : undefined,
  });

const nodes = nodesAt(() => current.index);

const input = {
  get item() {
    return currentItem();
  },
  first: () => inputItems()[0],
  last: () => inputItems().at(-1),
  all: () => inputItems(),
  get params() {
    return scope.parameters;
  },
  get context() {
    return parseOnce(`context:${scope.nodeName}`, shared.nodes[scope.nodeName]?.context ?? '{}');
  },
};
